import { literal, Op } from 'sequelize';
import { statement } from '../adapters/postgres/statement';

/** A newer mail has replaced the mail, so its reader misses nothing. */
export const replacedByNewer = 'replaced by a newer mail';

/** The mail waited until it was of no use: for the mail server, or for the mail budget of the merchant. */
export const tooLate = 'too late';

/** The content was sealed with another key. */
export const unreadable = 'sealed with another key';

/** Whose mails. Mails to the team and to recipients of reports are only for those who manage them. */
export interface UndeliveredScope {
  merchantId: number;
  onlyCustomers: boolean;
}

const customersOf = (merchant: number | '$1') =>
  `(SELECT id FROM accounts WHERE merchant_id = ${merchant} AND role = 'consumer')`;

/** Mails that the program has given up, without those that a newer one replaced. */
export const undeliveredOf = ({ merchantId, onlyCustomers }: UndeliveredScope) => ({
  merchantId,
  parkedAt: { [Op.ne]: null },
  lastError: { [Op.ne]: replacedByNewer },
  ...(onlyCustomers && { accountId: { [Op.in]: literal(customersOf(merchantId)) } }),
});

const countStatement = statement<{ count: number }>(
  'mails_undelivered',
  `SELECT count(*)::int AS count FROM mails WHERE merchant_id = $1 AND parked_at > now() - make_interval(days => $2)
   AND last_error <> $3 AND (NOT $4 OR account_id IN ${customersOf('$1')})`,
);

/** The number of mails that were given up in the last days. */
export async function countParked({ merchantId, onlyCustomers }: UndeliveredScope, days: number): Promise<number> {
  return (await countStatement([merchantId, days, replacedByNewer, onlyCustomers]))[0]?.count ?? 0;
}
