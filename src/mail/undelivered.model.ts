import { Op } from 'sequelize';
import { statement } from '../adapters/postgres/statement';

/** A newer mail has replaced the mail, so its reader misses nothing. */
export const replacedByNewer = 'replaced by a newer mail';

/** The mail server was not reached while the mail was of use. */
export const tooLate = 'too late';

/** Mails that the program has given up, without those that a newer one replaced. */
export const undeliveredOf = (merchantId: number) => ({
  merchantId,
  parkedAt: { [Op.ne]: null },
  lastError: { [Op.ne]: replacedByNewer },
});

const lateStatement = statement<{ count: number }>(
  'mails_undelivered',
  `SELECT count(*)::int AS count FROM mails WHERE merchant_id = $1 AND parked_at > now() - make_interval(days => $2)
   AND last_error <> $3`,
);

/** The number of mails that were given up in the last days. */
export async function countUndelivered(merchantId: number, days: number): Promise<number> {
  return (await lateStatement([merchantId, days, replacedByNewer]))[0]?.count ?? 0;
}
