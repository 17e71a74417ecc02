import { refuseMoving } from '../../accounts/merchants/states';
import { type ChargeResult, type SetupResult } from '../../adapters/cardProviders/provider';
import { transaction } from '../../adapters/postgres/connection';
import { toMajor } from '../../billing/money';
import { findWalletName, type WalletName } from '../../kit/paymentMethods';
import { findScriptAction, type ScriptAction } from '../paymentForm';
import { type StoredMethod } from '../cards.model';
import { getPaymentFacts } from '../payments/paymentSteps.model';
import { getProviderOf } from '../provider/providers';
import { settleSetup } from '../setups/settling';
import { findPurchaseOfSetup, findSetup, type CardSetup } from '../setups/setups.model';
import { unavailable } from '../setups/setups';
import { sendAnswer } from './answers';
import { getPurchase } from './charges.model';
import { findLinkedCharge, findLinkedSetup, type LinkedCharge, type LinkedSetup } from './confirmations.model';
import { readLink } from './links';
import { returnUrlOf, withReference } from './returnUrls';

/**
 * A payer confirms a charge by a link: a renewal that the bank declined because the payer was absent, or a charge that
 * the provider's script continues. A payer can also authenticate a card that is set up.
 */

/** An amount in the major unit. */
interface Price {
  amount: number;
  currency: string;
}

export interface Confirmation {
  /** `closed`: the charge was declined or replaced, and nothing waits for the payer. */
  state: 'waiting' | 'paid' | 'closed';
  merchantUuid: string;
  /** Empty for a card that is set up. */
  description: string;
  /** Undefined for a card that is set up. */
  price: Price | undefined;
  /** The last four digits of the card; empty for a method without a number. */
  cardDigits: string;
  /** Undefined if nothing pays. */
  method: StoredMethod | undefined;
  /** The payer pays with this wallet on the page, and has no card yet. */
  wallet: WalletName | undefined;
}

type Waiting = { charge: LinkedCharge } | { setup: CardSetup & LinkedSetup };

/** The payment behind a link; undefined if the link is not valid. */
export async function findConfirmation(token: string): Promise<Confirmation | undefined> {
  const found = await findWaiting(token);
  if (!found) return undefined;
  if ('setup' in found) {
    const { status, merchantUuid, cardDigits, method } = found.setup;
    const state = status === 'verified' ? 'paid' : status === 'requires_action' ? 'waiting' : 'closed';
    return { state, merchantUuid, description: '', price: undefined, cardDigits, method, wallet: undefined };
  }
  const { charge } = found;
  const { description } = await transaction((inTransaction) => getPaymentFacts(charge, inTransaction));
  return {
    state: charge.status === 'paid' ? 'paid' : charge.status === 'requires_action' ? 'waiting' : 'closed',
    merchantUuid: charge.merchantUuid,
    description,
    price: { amount: toMajor(charge.amountMinor, charge.currency), currency: charge.currency },
    cardDigits: charge.cardDigits ?? '',
    method: charge.method ?? undefined,
    wallet: findWalletName(charge.method ?? ''),
  };
}

/** The merchant of a link, for the branding of the page. Undefined if the link is not valid. */
export async function findConfirmationMerchant(token: string): Promise<string | undefined> {
  const found = await findWaiting(token);
  return found && ('setup' in found ? found.setup : found.charge).merchantUuid;
}

/** The next step: the page of the bank or of the shop, an action of the provider's script, or none. */
export type Continued = { redirectUrl: string } | { action: ScriptAction } | { isPaid: boolean };

/**
 * Continues the charge or the set-up with its payer. Undefined if the link is not valid. Throws `service_unavailable` if the
 * provider does not answer, or if the merchant moves to another installation.
 */
export async function continueLinked(token: string, requestId: string): Promise<Continued | undefined> {
  const found = await findWaiting(token);
  if (!found) return undefined;
  await refuseMoving(['setup' in found ? found.setup.merchantId : found.charge.merchantId]);
  return 'setup' in found ? continueSetup(found.setup, requestId) : continueCharge(found.charge, requestId);
}

async function continueCharge(charge: LinkedCharge, requestId: string): Promise<Continued> {
  const { id, kind, status, idempotencyKey, reference, cardToken, returnUrl: given } = charge;
  const returnUrl = given === null ? undefined : returnUrlOf(kind, given);
  // The provider's notification may have settled the charge before the payer returns.
  if (status !== 'requires_action' || reference === null || cardToken === null)
    return endAt(status === 'paid' ? backTo(returnUrl, 'payment_intent', reference) : undefined, status === 'paid');
  const provider = await getProviderOf(charge);
  const by = { reference, token: cardToken, ...(returnUrl !== undefined && { returnUrl }) };
  const result = await provider.confirmCharge(idempotencyKey, by);
  if (result.outcome === 'requires_action') return leadOn(charge, result, reference);
  if (result.outcome !== 'paid' && result.outcome !== 'declined') throw unavailable();
  await sendAnswer(await getPurchase(id), reference, requestId);
  return endAt(backTo(returnUrl, 'payment_intent', reference), result.outcome === 'paid');
}

async function continueSetup(setup: CardSetup & LinkedSetup, requestId: string): Promise<Continued> {
  const { reference, status, returnUrl: given } = setup;
  const returnUrl = backTo(given === null ? undefined : returnUrlOf('subscription', given), 'setup_intent', reference);
  const isVerified = status === 'verified';
  if (status !== 'requires_action') return endAt(isVerified ? returnUrl : undefined, isVerified);
  const result = await (await getProviderOf(setup)).lookUpSetup(reference);
  if (result.outcome === 'requires_action') return leadOn(setup, result, reference);
  if (result.outcome !== 'verified' && result.outcome !== 'declined') throw unavailable();
  const purchase = await findPurchaseOfSetup(reference, setup.merchantId);
  if (purchase) await sendAnswer(purchase, reference, requestId);
  else await settleSetup(setup, requestId);
  return endAt(returnUrl, result.outcome === 'verified');
}

type Asking = Extract<ChargeResult | SetupResult, { outcome: 'requires_action' }>;

async function leadOn(
  of: { merchantId: number; provider: string | null },
  { redirectUrl }: Asking,
  reference: string,
): Promise<Continued> {
  if (redirectUrl !== undefined) return { redirectUrl };
  const action = await findScriptAction(await getProviderOf(of), reference);
  if (!action) throw unavailable();
  return { action };
}

/** The merchant's page, with the provider's reference as a parameter. */
const backTo = (returnUrl: string | undefined, name: 'payment_intent' | 'setup_intent', reference: string | null) =>
  returnUrl !== undefined && reference !== null ? withReference(returnUrl, name, reference) : undefined;

const endAt = (redirectUrl: string | undefined, isPaid: boolean): Continued =>
  redirectUrl === undefined ? { isPaid } : { redirectUrl };

async function findWaiting(token: string): Promise<Waiting | undefined> {
  const linked = readLink(token);
  if (!linked) return undefined;
  if ('chargeId' in linked) {
    const charge = await findLinkedCharge(linked.chargeId);
    return charge && { charge };
  }
  const [setup, place] = await Promise.all([findSetup(linked.setupId), findLinkedSetup(linked.setupId)]);
  return setup && place && { setup: { ...setup, ...place } };
}
