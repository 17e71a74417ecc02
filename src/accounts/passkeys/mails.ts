import { type Transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/mail';
import { Account } from '../accounts.model';
import { securityUrl } from '../securityLinks';
import { type Holder } from './passkeys.model';

/** Informs the owner, so that a change by another person is noticed. */
export async function mailChange(
  inTransaction: Transaction,
  { id, merchantId }: Holder,
  { template, name }: { template: 'passkey_added' | 'passkey_removed'; name: string },
): Promise<void> {
  const account = await Account.findOne({ where: { id, merchantId }, transaction: inTransaction });
  if (!account) return;
  const values = { url: securityUrl(account), name };
  await queueMail(inTransaction, { merchantId, accountId: id, to: account.email, template, values });
}
