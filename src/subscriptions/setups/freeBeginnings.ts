import { type Attributes } from 'sequelize';
import { type Transaction } from '../../adapters/postgres/connection';
import { hasUsedTrial } from '../../entitlements/trials';
import { type SellableFee } from '../../items/accessFees/accessFees';
import { type Caller } from '../../kit/auth';
import { decideAddedTax, type Taxed } from '../../tax/addedTaxes';
import { type AppliedVoucher } from '../../vouchers/uses';
import { quoteFirst } from '../balances/balances';
import { type PayingCard } from '../cards';
import { publishSubscriptionAction } from '../charges/actions';
import { returnUrlOf } from '../charges/returnUrls';
import { firstDueOf } from '../quotes';
import { type Subscription } from '../subscriptions.model';
import { saveSetup, setUpCard, type CardAnswer, type WaitingSetup } from './setups';

/** Subscriptions that begin with a trial or with a free period: their card is set up instead of charged. */

/** Whether the subscription can begin with a trial, after which it is charged. */
const mayBeginFree = ({ trialQuantity, trialPeriod, amountMinor }: SellableFee) =>
  trialQuantity !== null && trialPeriod !== null && amountMinor > 0;

/** The run waits this long for the payer of a first payment. */
export const payerIsAwaitedMs = 23 * 3_600_000;

/** A subscription that may begin without a charge. */
export interface FreeBeginning {
  fee: Taxed<SellableFee>;
  card: PayingCard;
  offered: AppliedVoucher | undefined;
  returnUrl: string | undefined;
}

/** Sets up a card that pays nothing now: its bank agrees to later charges without the payer. */
export async function setUpIfFree(
  caller: Caller,
  { fee, card, offered, returnUrl }: FreeBeginning,
): Promise<CardAnswer | undefined> {
  if (fee.amountMinor === 0) return undefined;
  const { merchantId, accountId } = caller;
  const identity = { merchantId, accountId, itemId: fee.itemId, cardFingerprint: card.fingerprint };
  const dueMinorOf = async () => firstDueOf(fee, offered, await decideAddedTax(caller, fee));
  const isFree =
    (mayBeginFree(fee) && !(await hasUsedTrial(identity))) ||
    (await quoteFirst({ accountId, currency: fee.currency }, await dueMinorOf())) === 0;
  if (!isFree) return undefined;
  return setUpCard(caller, card, returnUrl && returnUrlOf('subscription', returnUrl));
}

/** Asks the payer to authenticate the card. The subscription begins after that. */
export async function askForCard(
  inTransaction: Transaction,
  row: Attributes<Subscription> & { cardId: number },
  waits: WaitingSetup,
): Promise<void> {
  const { id: subscriptionId, merchantId, accountId, cardId, token } = row;
  const action = await saveSetup(inTransaction, { merchantId, accountId, cardId, subscriptionId }, waits);
  const purchase = { ...row, kind: 'subscription' as const };
  await publishSubscriptionAction(purchase, { ...action, amountMinor: 0 }, `${token}:setup`, inTransaction);
}
