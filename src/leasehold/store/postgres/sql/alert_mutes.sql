-- Lists the rules that are muted now. Few rows.
SELECT name, until, set_by
FROM leasehold.alert_mute
WHERE until > %(skew)s + now()
ORDER BY name
