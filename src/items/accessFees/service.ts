import { type z } from 'zod';
import { getAccountRow } from '../../accounts/service';
import { now } from '../../adapters/clock';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { isAmount, isCurrency, toMajor, toMinor } from '../../subscriptions/billing/money';
import { describeItem, getItemById, getItemOfMerchant, getItemRow, type LoadedItem } from '../service';
import { AccessFee, AccessType, findSellableFee, type SellableFee } from './model';
import { presentAccessFee } from './presenter';
import { type AccessFeeBody } from './schemas';

export type { SellableFee };
type FeeInput = z.output<typeof AccessFeeBody>;

export async function createAccessFee(caller: Caller, itemId: number, input: FeeInput) {
  refuseBadMoney(input);
  const item = await getItemRow(caller.merchantId, itemId);
  const accessType = await getAccessType(caller, input);
  if (accessType.name === 'ppv_custom' && input.expires_at === undefined)
    throw new AppError('missing_parameter', { errors: { expires_at: 'The expires_at must not be empty.' } });
  const fee = await AccessFee.create({
    merchantId: caller.merchantId,
    itemId,
    accessTypeId: accessType.id,
    amountMinor: toMinor(input.amount, input.currency),
    currency: input.currency,
    description: input.description,
    setupFeeMinor: input.setup_fee_amount === undefined ? null : toMinor(input.setup_fee_amount, input.currency),
    setupFeeDescription: input.setup_fee_description ?? null,
    startsAt: input.starts_at ?? null,
    expiresAt: input.expires_at ?? null,
  });
  await fee.reload();
  return describeFee(fee, accessType, { item, merchantUuid: caller.merchantUuid });
}

/** What anyone may buy now: a fee outside its dates is left out. */
export async function listAccessFees(itemId: number) {
  const item = await getItemById(itemId);
  const merchant = await getAccountRow(item.merchantId);
  return feesOf({ item, merchantUuid: merchant.uuid });
}

/** The item's card with its fees: what a paywall shows. */
export async function getItem(merchantUuid: string, itemId: number) {
  const loaded = await getItemOfMerchant(merchantUuid, itemId);
  return { ...describeItem(loaded), access_fees: await feesOf(loaded) };
}

/** A fee of a merchant that can be bought now, with its type and item. */
export async function getSellableFee(merchantId: number, feeId: number): Promise<SellableFee> {
  const fee = await findSellableFee(merchantId, feeId);
  if (!fee?.isItemActive || !isOnSale(fee, now())) throw new AppError('access_fee_not_found');
  return fee;
}

async function feesOf(loaded: LoadedItem) {
  const fees = await AccessFee.findAll({
    where: { itemId: loaded.item.id, merchantId: loaded.item.merchantId },
    include: 'accessType',
    order: [['id', 'ASC']],
  });
  const present = now();
  return fees.flatMap((fee) =>
    fee.accessType && isOnSale(fee, present) ? [describeFee(fee, fee.accessType, loaded)] : [],
  );
}

function isOnSale(fee: Pick<AccessFee, 'startsAt' | 'expiresAt'>, present: Date): boolean {
  return (fee.startsAt === null || fee.startsAt <= present) && (fee.expiresAt === null || fee.expiresAt > present);
}

function describeFee(fee: AccessFee, accessType: AccessType, loaded: LoadedItem) {
  return presentAccessFee(fee, accessType, describeItem(loaded), {
    amount: toMajor(fee.amountMinor, fee.currency),
    setupFee: fee.setupFeeMinor === null ? undefined : toMajor(fee.setupFeeMinor, fee.currency),
  });
}

function refuseBadMoney(input: FeeInput): void {
  const { currency } = input;
  if (!isCurrency(currency))
    throw new AppError('invalid_input', { errors: { currency: 'The currency must be an ISO 4217 code.' } });
  for (const name of ['amount', 'setup_fee_amount'] as const)
    if (input[name] !== undefined && !isAmount(input[name], currency))
      throw new AppError('invalid_input', { errors: { [name]: `The ${name} has more decimals than ${currency}.` } });
}

async function getAccessType(caller: Caller, input: FeeInput): Promise<AccessType> {
  const { merchantId } = caller;
  if (input.access_type_id !== undefined) {
    const found = await AccessType.findOne({ where: { id: input.access_type_id, merchantId } });
    if (found) return found;
    throw new AppError('access_type_not_found');
  }
  if (input.access_type === undefined)
    throw new AppError('missing_parameter', { errors: { access_type_id: 'The access_type_id must not be empty.' } });
  const { access_type: name, quantity = 1, period = 'month' } = input;
  const [accessType] = await AccessType.findOrCreate({ where: { merchantId, name, quantity, period } });
  return accessType.reload();
}
