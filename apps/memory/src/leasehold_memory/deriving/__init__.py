"""What is made of episodes: each part asks a model, then writes, and never does both at once.

Writing twice what was found once changes nothing, and the order of episodes does not matter.
"""
