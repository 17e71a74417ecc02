import { type z } from 'zod';
import { transaction, type Transaction, violatedConstraint } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { saveAccessType } from '../accessTypes';
import { getItemRow } from '../items';
import { AccessFee, isFeeSold, writeExternalFees } from './accessFees.model';
import { type NestedFees } from './accessFees.schemas';
import { getAccessFee } from './accessFees';
import { type FeeInput, type FeeTerms, readTerms } from './terms';

export async function createAccessFee(caller: Caller, itemId: number, input: FeeInput, requestId?: string) {
  await getItemRow(caller.merchantId, itemId);
  const terms = await readTerms(caller, input);
  const feeId = await refusingTakenNames(() =>
    transaction(async (inTransaction) => {
      const id = await insertFee(inTransaction, caller, itemId, await withType(inTransaction, terms));
      await auditFee(inTransaction, caller, { action: 'access_fee.create', id, requestId });
      return id;
    }),
  );
  return getAccessFee(caller, itemId, feeId);
}

/** Replaces the fee. If the fee was sold at another price, a new fee replaces it and is returned. */
export async function updateAccessFee(caller: Caller, itemId: number, feeId: number, input: FeeInput) {
  await getAccessFee(caller, itemId, feeId);
  const terms = await readTerms(caller, input);
  const savedId = await refusingTakenNames(() =>
    transaction(async (inTransaction) => {
      const id = await changeFee(inTransaction, caller, { itemId, feeId }, await withType(inTransaction, terms));
      await auditFee(inTransaction, caller, { action: 'access_fee.update', id: feeId, replacedBy: id });
      return id;
    }),
  );
  return getAccessFee(caller, itemId, savedId);
}

/** Ends the sale of the fee. Its subscribers still pay it. */
export async function deleteAccessFee(caller: Caller, feeId: number) {
  await transaction(async (inTransaction) => {
    await retire(inTransaction, await lockFee(inTransaction, caller, feeId));
    await auditFee(inTransaction, caller, { action: 'access_fee.delete', id: feeId });
  });
  return message('Access fee successfully deleted');
}

/** Checks the fees in the body of their item before the item is written. */
export async function readNestedFees(caller: Caller, inputs: z.output<typeof NestedFees>) {
  const read = (inputs ?? []).map(async (input, index) => ({
    feeId: input.id,
    terms: await readTerms(caller, input, `access_fees.${index}.`),
  }));
  return Promise.all(read);
}

/** Writes fees in the transaction of their item. A fee with an id must belong to the item. */
export async function saveNestedFees(
  inTransaction: Transaction,
  caller: Caller,
  itemId: number,
  fees: Awaited<ReturnType<typeof readNestedFees>>,
): Promise<void> {
  const typed = new Map<FeeTerms, TypedTerms>();
  // The fees have the same order in all requests, so that requests that create the same types do not deadlock.
  for (const { terms } of fees.toSorted((one, other) => orderOf(one).localeCompare(orderOf(other))))
    typed.set(terms, await withType(inTransaction, terms));
  const changes: FeeChange[] = [];
  for (const { feeId, terms } of fees) {
    const written = typed.get(terms);
    if (!written) throw new Error('a fee has no access type');
    if (feeId === undefined)
      changes.push({ action: 'access_fee.create', id: await insertFee(inTransaction, caller, itemId, written) });
    else {
      const replacedBy = await changeFee(inTransaction, caller, { itemId, feeId }, written);
      changes.push({ action: 'access_fee.update', id: feeId, replacedBy });
    }
  }
  // The last step, because the first entry locks the log of the merchant.
  for (const change of changes) await auditFee(inTransaction, caller, change);
}

interface FeeChange {
  action: 'access_fee.create' | 'access_fee.update' | 'access_fee.delete';
  id: number;
  /** The fee that replaces a sold fee. */
  replacedBy?: number;
  requestId?: string | undefined;
}

async function auditFee(inTransaction: Transaction, caller: Caller, change: FeeChange) {
  const { action, id, replacedBy = id, requestId } = change;
  await audit(inTransaction, caller, { action, object: ['access_fee', id], requestId });
  if (replacedBy !== id)
    await audit(inTransaction, caller, { action: 'access_fee.create', object: ['access_fee', replacedBy] });
}

function orderOf({ terms: { accessType } }: { terms: FeeTerms }): string {
  return `${accessType.name} ${accessType.quantity} ${accessType.period}`;
}

type TypedTerms = Omit<FeeTerms, 'columns'> & { columns: FeeTerms['columns'] & { accessTypeId: number } };

/** Creates the access type in the same transaction, before any fee is locked. */
async function withType(inTransaction: Transaction, terms: FeeTerms): Promise<TypedTerms> {
  const { id: accessTypeId } = await saveAccessType(inTransaction, terms.accessType);
  return { ...terms, columns: { ...terms.columns, accessTypeId } };
}

async function insertFee(inTransaction: Transaction, { merchantId }: Caller, itemId: number, terms: TypedTerms) {
  const fee = await AccessFee.create({ ...terms.columns, merchantId, itemId }, { transaction: inTransaction });
  await writeExternalFees(inTransaction, fee, terms.externalFees);
  return fee.id;
}

/**
 * Changes the fee. A fee that was sold keeps its amount, currency and access type. A new fee then replaces it for new
 * buyers. Returns the id of the fee on sale.
 */
async function changeFee(
  inTransaction: Transaction,
  caller: Caller,
  { itemId, feeId }: { itemId: number; feeId: number },
  terms: TypedTerms,
): Promise<number> {
  const fee = await lockFee(inTransaction, caller, feeId);
  if (fee.itemId !== itemId) throw new AppError('access_fee_not_found');
  const { columns, externalFees } = terms;
  const frozen = ['amountMinor', 'currency', 'accessTypeId'] as const;
  if (frozen.some((name) => fee[name] !== columns[name]) && (await isFeeSold(fee.id, inTransaction))) {
    await retire(inTransaction, fee);
    const replacedBy = await insertFee(inTransaction, caller, itemId, terms);
    await fee.update({ replacedBy }, { transaction: inTransaction });
    return replacedBy;
  }
  await fee.update({ ...columns, updatedAt: new Date() }, { transaction: inTransaction });
  await writeExternalFees(inTransaction, fee, externalFees);
  return fee.id;
}

/** Locks a fee. A purchase also locks it, so after this lock it is certain whether the fee was sold. */
async function lockFee(inTransaction: Transaction, { merchantId }: Caller, feeId: number): Promise<AccessFee> {
  const fee = await AccessFee.findOne({
    where: { id: feeId, merchantId, retiredAt: null },
    transaction: inTransaction,
    lock: inTransaction.LOCK.UPDATE,
  });
  if (!fee) throw new AppError('access_fee_not_found');
  return fee;
}

/** Retires the fee. Other fees can then use its names in stores. */
async function retire(inTransaction: Transaction, fee: AccessFee): Promise<void> {
  const present = new Date();
  await fee.update({ retiredAt: present, updatedAt: present }, { transaction: inTransaction });
  await writeExternalFees(inTransaction, fee, []);
}

/** Throws the error for a product of a store that already belongs to another fee of the merchant. */
export async function refusingTakenNames<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (violatedConstraint(error) !== 'external_fees_product') throw error;
    const text = 'The external_fees must not contain a name of another fee.';
    throw new AppError('invalid_input', { errors: { external_fees: text } });
  }
}
