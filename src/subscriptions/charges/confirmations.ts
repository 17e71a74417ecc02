import { transaction } from '../../adapters/postgres/connection';
import { seal, unseal } from '../../adapters/sealing';
import { baseUrl } from '../../adapters/settings';
import { formatAmount } from '../../billing/money';
import { AppError } from '../../kit/errors';
import { getEventFacts } from '../lifecycle/lifecycle.model';
import { sendAnswer } from './answers';
import { getPurchase } from './charges.model';
import { findLinkedCharge, type LinkedCharge } from './confirmations.model';
import { getProviderOf } from '../provider/providers';
import { returnUrlOf } from './returnUrls';

/**
 * The payer of a renewal confirms a charge that the bank declined because the payer was absent. The link is its own
 * permission: it needs no password and pays for one billing cycle at most.
 */

const sealingPurpose = 'payment confirmation';

/** The link to the confirmation page of a charge. */
export function confirmationUrl(chargeId: number): string {
  return `${baseUrl}/payments/confirm/${seal(sealingPurpose, String(chargeId)).toString('base64url')}`;
}

export interface Confirmation {
  /** `closed`: the charge was declined or replaced, and nothing waits for the payer. */
  state: 'waiting' | 'paid' | 'closed';
  merchantUuid: string;
  description: string;
  /** With its currency. */
  amount: string;
  /** The last four digits of the card. */
  cardDigits: string;
}

/** The payment behind a link; undefined if the link is not valid. */
export async function findConfirmation(token: string): Promise<Confirmation | undefined> {
  const charge = await findCharge(token);
  if (!charge) return undefined;
  const { description } = await transaction((inTransaction) => getEventFacts(charge.subscriptionId, inTransaction));
  return {
    state: charge.status === 'paid' ? 'paid' : charge.status === 'requires_action' ? 'waiting' : 'closed',
    merchantUuid: charge.merchantUuid,
    description,
    amount: formatAmount(charge.amountMinor, charge.currency),
    cardDigits: charge.cardDigits ?? '',
  };
}

/** The merchant of a link, for the design of the page; undefined if the link is not valid. */
export async function findConfirmationMerchant(token: string): Promise<string | undefined> {
  return (await findCharge(token))?.merchantUuid;
}

/**
 * Continues the charge with its payer. Returns the page of the bank, or undefined if the charge needs no page of a bank: it
 * is paid, declined or given up. Throws `payment_not_found`, and `service_unavailable` if the provider does not answer.
 */
export async function confirmCharge(token: string, requestId: string): Promise<string | undefined> {
  const charge = await findCharge(token);
  if (!charge) throw new AppError('payment_not_found');
  const { id, status, idempotencyKey, reference, cardToken, returnUrl } = charge;
  if (status !== 'requires_action' || reference === null || cardToken === null) return undefined;
  const provider = await getProviderOf(charge);
  const result = await provider.confirmCharge(idempotencyKey, {
    reference,
    token: cardToken,
    ...(returnUrl !== null && { returnUrl: returnUrlOf('subscription', returnUrl) }),
  });
  if (result.outcome === 'requires_action' && result.redirectUrl !== undefined) return result.redirectUrl;
  if (result.outcome !== 'paid' && result.outcome !== 'declined')
    throw new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
  await sendAnswer(await getPurchase(id), reference, requestId);
  return undefined;
}

async function findCharge(token: string): Promise<LinkedCharge | undefined> {
  const text = unseal(sealingPurpose, Buffer.from(token, 'base64url'));
  return text === undefined ? undefined : findLinkedCharge(Number(text));
}
