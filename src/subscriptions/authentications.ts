import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { Charge } from './charges/charges.model';
import { findSetupOfSubscription } from './setups/setups.model';
import { pageOf } from './setups/setups';
import { Subscription } from './subscriptions.model';
import { type AuthenticationResponse } from './authentications.schemas';

/** The page where the payer authenticates a waiting charge or card, for clients that have missed the event. */
export async function getAuthentication(
  { merchantId, accountId, role }: Caller,
  token: string,
): Promise<z.output<typeof AuthenticationResponse>> {
  const scope = role === 'merchant' ? {} : { accountId };
  const row = await Subscription.findOne({ where: { token, merchantId, ...scope }, attributes: ['id'] });
  if (!row) throw new AppError('subscription_not_found');
  const setup = await findSetupOfSubscription(row.id);
  if (setup?.status === 'requires_action')
    return { subscription_id: token, redirect_to_url: pageOf(setup), pi_id: setup.reference };
  const where = { subscriptionId: row.id, status: 'requires_action' } as const;
  const charge = await Charge.findOne({ where, order: [['id', 'DESC']] });
  if (!charge?.reference || !charge.redirectUrl) throw new AppError('payment_not_found');
  return { subscription_id: token, redirect_to_url: charge.redirectUrl, pi_id: charge.reference };
}
