/**
 * What is done in Redis, each in one step that nobody else's can divide, and timed by Redis' own clock.
 * KEYS: the lease of a request, which holds its token; and what was completed last of its subject, `status key`. One
 * subject holds no more than the last, so that an earlier receipt counts no longer (D-57).
 */
export const scripts = {
  /** ARGV: key, token, leaseMs */
  acquire: `
local last = redis.call('GET', KEYS[2])
if last and string.sub(last, 5) == ARGV[1] then return 'completed ' .. string.sub(last, 1, 3) end
if redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[3]) then return 'acquired' end
return 'inProgress ' .. redis.call('PTTL', KEYS[1])`,

  /** ARGV: key, token, status, keepMs */
  complete: `
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 'stale' end
redis.call('DEL', KEYS[1], KEYS[2])
if ARGV[4] ~= '0' then redis.call('SET', KEYS[2], ARGV[3] .. ' ' .. ARGV[1], 'PX', ARGV[4]) end
return 'settled'`,

  /** ARGV: token */
  release: `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'stale' end
redis.call('DEL', KEYS[1])
return 'settled'`,
} as const;
