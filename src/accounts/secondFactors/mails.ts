import { type Transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/mail';
import { Account } from '../accounts.model';
import { securityUrl } from '../securityLinks';
import { mailToken } from '../signIn/mailedTokens';
import { type Holder } from './secondFactors.model';

/** Informs the owner, so that a change by another person is noticed. The mail about a new factor has a link that removes it. */
export async function mailChange(
  inTransaction: Transaction,
  { id, merchantId }: Holder,
  template: 'second_factor_on' | 'second_factor_off',
): Promise<void> {
  const account = await Account.findOne({ where: { id, merchantId }, transaction: inTransaction });
  if (!account) return;
  if (template === 'second_factor_on') return mailToken(inTransaction, account, template);
  const values = { url: securityUrl(account) };
  await queueMail(inTransaction, { merchantId, accountId: id, to: account.email, template, values });
}
