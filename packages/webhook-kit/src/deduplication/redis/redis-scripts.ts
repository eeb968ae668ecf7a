/**
 * Lua scripts, because each must be atomic and use Redis' own clock. KEYS: the lease of a request, which holds its fencing token;
 * and the last completed request of its subject, as `status key` (D-57).
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
