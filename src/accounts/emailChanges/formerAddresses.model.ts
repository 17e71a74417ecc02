import { statement } from '../../adapters/postgres/statement';

/**
 * The former addresses that still count as the customer's own: it had proved them, and no other customer of the merchant has
 * them now.
 */
const isOwn = `c.undo_hash IS NOT NULL AND NOT EXISTS (SELECT FROM accounts n
  WHERE n.merchant_id = c.merchant_id AND n.role = 'consumer' AND n.id <> c.account_id
    AND n.email_normalized = c.former_email_normalized)`;

/** SQL: whether the expression `address` is such an address of the account with the expression `accountId`. */
export const isFormerAddress = (accountId: string, address: string) => `EXISTS (SELECT FROM email_changes c
  WHERE c.account_id = ${accountId} AND c.former_email_normalized = ${address} AND ${isOwn})`;

interface FormerAddress {
  /** Normalized. */
  address: string;
  /** When the account left it for the last time. */
  leftAt: Date;
}

const ownStatement = statement<FormerAddress>(
  'email_changes_own_former',
  `SELECT c.former_email_normalized AS address, max(c.confirmed_at) AS "leftAt" FROM email_changes c
   WHERE c.merchant_id = $1 AND c.account_id = $2 AND ${isOwn} GROUP BY 1`,
);

/** The former addresses that still count as the customer's own. */
export const listOwnFormer = (merchantId: number, accountId: number) => ownStatement([merchantId, accountId]);
