import { transaction } from '../../adapters/postgres/connection';
import { type AgreedSwitch, type ChargeInput, type ChargeOutcome } from '../../../workflows/messages';
import { lockBalance, moveBalance } from '../balances/balances';
import { settleDue } from '../../billing/dues';
import { periodEnd } from '../../billing/periods';
import { decideChargeTax, type UndecidedTax } from '../../tax/chargeTaxes';
import {
  getPriceTerms,
  openWhole,
  openWithoutBalance,
  settleWithBalance,
  type ChargeName,
  type OpenedCharge,
  type SoldPlan,
} from './opening.model';
import { firstAmount } from '../lifecycle/prices';
import { dearer, noCharge } from './refusals';

/** More is due than the payer agreed to, so the charge was not opened. */
class DearerCharge extends Error {
  constructor(readonly totalMinor: number) {
    super(`${totalMinor} is due, which is more than was agreed`);
  }
}

/**
 * Opens a charge and offsets it against the customer's balance in the same transaction, so that a credit or a debt counts
 * in one charge only. A charge that is declined returns the amount that it took from the balance. The tax of what is left is
 * decided before the provider is asked. `undecided`: why it is not known yet, so that the charge cannot be sent. A charge
 * that cannot be opened has an outcome instead: the account is erased, or more is due than `maxMinor`.
 */
export async function openCharge(
  input: ChargeInput,
): Promise<(OpenedCharge & { undecided?: UndecidedTax }) | ChargeOutcome> {
  const named = await nameOf(input);
  const alone = isFirst(named) ? await openWithoutBalance(named) : undefined;
  const charge = alone ?? (await openWithBalance(named).catch(dearerOutcome));
  if (charge === undefined) return noCharge;
  if ('outcome' in charge || !charge.needsTax || charge.amountMinor === 0) return charge;
  const undecided = await decideChargeTax(charge.id);
  return undecided ? { ...charge, undecided } : charge;
}

function dearerOutcome(error: unknown): ChargeOutcome {
  if (error instanceof DearerCharge) return dearer(error.totalMinor);
  throw error;
}

/**
 * Whether the charge is a first one, which the payer waits for. A later charge that is too small for the provider is
 * carried over.
 */
const isFirst = (named: ChargeName) => 'paymentId' in named || named.cycle === 1;

/**
 * The charge of an input. An input without an amount means the first charge: the discounted price and the setup fee.
 */
async function nameOf(input: ChargeInput): Promise<ChargeName> {
  if ('paymentId' in input) return input;
  const { amountMinor = firstAmount(await getPriceTerms(input.subscriptionId)), agreed } = input;
  return { ...input, amountMinor, ...(agreed && { sold: soldPlan(agreed, input.atMs ?? Date.now()) }) };
}

/** The new plan, for a new period or for the rest of the running one. */
function soldPlan({ plan, quote }: AgreedSwitch, atMs: number): SoldPlan {
  const startsAt = new Date(atMs);
  return { accessFeeId: plan.id, startsAt, ...(quote.isNewPeriod && { endsAt: periodEnd(startsAt, 1, plan) }) };
}

/** Locks the charge before the balance, like every transaction that locks both. */
function openWithBalance(named: ChargeName): Promise<OpenedCharge | undefined> {
  return transaction(async (inTransaction) => {
    const charge = await openWhole(named, inTransaction);
    if (!charge?.isNew) return charge;
    const { id: chargeId, currency } = charge;
    const balanceMinor = await lockBalance(inTransaction, charge);
    const { chargeMinor, takenMinor } = settle(charge, balanceMinor);
    if (chargeMinor > mostOf(named)) throw new DearerCharge(chargeMinor);
    // The row already has its amount if the balance does not change it.
    if (takenMinor === 0 && chargeMinor === charge.amountMinor) return charge;
    await settleWithBalance(charge, { chargeMinor, takenMinor }, inTransaction);
    const at = 'atMs' in named && named.atMs !== undefined ? new Date(named.atMs) : undefined;
    const movement = { amountMinor: -takenMinor, reason: 'charge', cause: `charge:${chargeId}`, chargeId, at } as const;
    await moveBalance(inTransaction, { accountId: charge.accountId, currency }, movement);
    return { ...charge, amountMinor: chargeMinor };
  });
}

const mostOf = (named: ChargeName) => ('maxMinor' in named && named.maxMinor !== undefined ? named.maxMinor : Infinity);

/**
 * Subtracts the balance. A free purchase without a card collects no debt: the debt waits for a charge that has a card.
 */
function settle({ amountMinor, cardToken, currency }: OpenedCharge, balanceMinor: number) {
  const isFree = amountMinor === 0 && cardToken === null;
  return isFree ? { chargeMinor: 0, takenMinor: 0 } : settleDue(amountMinor, balanceMinor, currency);
}
