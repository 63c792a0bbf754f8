-- Lists the rules that are muted now. Few rows.
SELECT name, until, set_by
FROM leasehold_alert_mute
WHERE until > :now
ORDER BY name
