import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';

interface NewRedirect {
  merchantId: number;
  accountId: number;
  provider: string;
  method: 'ideal' | 'bancontact' | 'paypal' | 'google_pay' | 'apple_pay';
  /** The name of the method on receipts. */
  brand: string;
  token: string;
  holderName: string;
}

/** Writes a payment on a page, and returns its id. Its token pays once, and is the same for no other payment. */
export async function insertRedirect(inTransaction: Transaction, redirect: NewRedirect): Promise<number> {
  const { merchantId, accountId, provider, method, brand, token, holderName } = redirect;
  const [stored] = await execute<{ id: number }>(
    inTransaction,
    `INSERT INTO cards (merchant_id, account_id, method, brand, provider, token, is_single_use, last_four, holder_name,
       fingerprint)
     VALUES ($1, $2, $3, $7, $4, $5, true, '', $6, $5) RETURNING id`,
    [merchantId, accountId, method, provider, token, holderName, brand],
  );
  if (!stored) throw new Error('a payment on a page was not written');
  return stored.id;
}
