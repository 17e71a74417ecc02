import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { Account } from '../accounts.model';
import { removePasskeys } from '../passkeys/passkeys.model';
import { mailChange } from './mails';
import { lockHolder, removeFactors } from './secondFactors.model';

/**
 * Helps a customer who has lost the authenticator app and the recovery codes, or the device with the passkeys. The
 * merchant verifies the person. The mail informs the customer, in case another person has made the request.
 */
export async function removeCustomerFactor(caller: Caller, customerId: number, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const customer = await Account.findOne({ where: { id: customerId, merchantId, role: 'consumer' } });
  if (!customer) throw new AppError('account_not_found');
  await transaction(async (inTransaction) => {
    await lockHolder(inTransaction, customer);
    const hadFactor = await removeFactors(inTransaction, customer.id);
    const hadPasskeys = await removePasskeys(inTransaction, customer.id);
    if (!hadFactor && !hadPasskeys) throw new AppError('second_factor_not_found');
    await mailChange(inTransaction, customer, 'second_factor_off');
    await audit(inTransaction, caller, { action: 'second_factor.remove', object: ['account', customer.id], requestId });
  });
  return message('The second factor of the customer is off');
}
