-- A key's rights never change: what the preset includes from now on is for new keys.
UPDATE "api_keys" SET "preset" = 'custom', "scopes" = '{"orders": "write", "tokens": "write", "delegations": "write", "cards": "read"}' WHERE "preset" = 'buyer';
