import { Op } from 'sequelize';
import { type z } from 'zod';
import { findPage, olderThan } from '../adapters/postgres/totals';
import { type Caller } from '../kit/auth';
import { byId, cursorRange, type CursorQuery, nextCursor } from '../kit/page';
import { unixSeconds } from '../kit/time';
import { Mail } from './mail.model';
import { presentUndelivered } from './mail.presenter';
import { countParked, tooLate, type UndeliveredScope, undeliveredOf, unreadable } from './undelivered.model';

/** Mails of a merchant that the program has given up. Their content is deleted, and they are kept for 30 days. */

const scopeOf = ({ merchantId, scopes }: Caller): UndeliveredScope => ({
  merchantId,
  onlyCustomers: !scopes.includes('settings:write'),
});

/** The number of mails that were given up in the last days, of those that the caller sees in the list. */
export const countUndelivered = (caller: Caller, days: number) => countParked(scopeOf(caller), days);

/** Newest first. A caller without `settings:write` sees the mails to customers only. */
export async function listUndelivered(caller: Caller, query: z.output<typeof CursorQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const scope = scopeOf(caller);
  const options = { where: undeliveredOf(scope), order: [['id', 'DESC']] as [string, string][], limit, offset };
  const key = `undelivered ${scope.merchantId} ${scope.onlyCustomers}`;
  const { rows, total } = await findPage(Mail, key, { ...options, after: olderThan(after) });
  const next_cursor = nextCursor(rows, { limit }, byId);
  const collection = rows.map((row) =>
    present(row, { createdAt: unixSeconds(row.createdAt), givenUpAt: unixSeconds(row.parkedAt) }),
  );
  return { total, page, offset, limit, next_cursor, collection };
}

/** The same list in parts, for an export: the rows that follow an id. */
export async function readUndeliveredAfter(caller: Caller, limit: number, after?: number) {
  const where = { ...undeliveredOf(scopeOf(caller)), ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await Mail.findAll({ where, order: [['id', 'DESC']], limit });
  return rows.map((row) => present(row, { createdAt: row.createdAt, givenUpAt: row.parkedAt }));
}

const present = <Time>(row: Mail, at: { createdAt: Time; givenUpAt: Time }) =>
  presentUndelivered(row, { ...at, reason: reasonOf(row) });

function reasonOf({ lastError }: Mail) {
  if (lastError === tooLate) return 'too_late';
  return lastError === unreadable ? 'unreadable' : 'refused';
}
