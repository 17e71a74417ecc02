import { getItemRow } from '../items/items';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { changeRules, subjectOf } from '../restrictions/rules';
import { AgeRestriction, saveMinAge } from './age.model';
import { presentGlobalAge, presentItemAge } from './age.presenter';

export async function getGlobalAge(caller: Caller) {
  return presentGlobalAge(await getRule(caller, null), caller.merchantUuid);
}

/** The item's own minimum age, not the merchant's general one. */
export async function getItemAge(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  return presentItemAge(await getRule(caller, itemId), itemId);
}

/** Applies from the next access check on, also to customers who have access already. */
export async function setGlobalAge(caller: Caller, minAge: number) {
  await saveRule(caller, null, minAge);
  return message('The age restriction has been successfully saved');
}

export async function setItemAge(caller: Caller, itemId: number, minAge: number) {
  await getItemRow(caller.merchantId, itemId);
  await saveRule(caller, itemId, minAge);
  return message('The age restriction of the item has been successfully saved');
}

/** The minimum ages of single items stay. */
export async function deleteGlobalAge(caller: Caller) {
  await deleteRule(caller, null);
  return message('The age restriction has been successfully deleted');
}

/** From now on the merchant's general minimum age applies to the item, if there is one. */
export async function deleteItemAge(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  await deleteRule(caller, itemId);
  return message('The age restriction of the item has been successfully deleted');
}

async function getRule({ merchantId }: Caller, itemId: number | null): Promise<AgeRestriction> {
  const rule = await AgeRestriction.findOne({ where: { merchantId, itemId } });
  if (!rule) throw new AppError('restriction_not_found');
  return rule;
}

function saveRule(caller: Caller, itemId: number | null, minAge: number): Promise<void> {
  const change = { action: 'restriction.set_age', object: subjectOf(caller, itemId) } as const;
  return changeRules(caller, change, (inTransaction) =>
    saveMinAge(inTransaction, { merchantId: caller.merchantId, itemId, minAge }),
  );
}

async function deleteRule(caller: Caller, itemId: number | null): Promise<void> {
  const where = { merchantId: caller.merchantId, itemId };
  const change = { action: 'restriction.delete_age', object: subjectOf(caller, itemId) } as const;
  await changeRules(caller, change, async (inTransaction) => {
    const deleted = await AgeRestriction.destroy({ where, transaction: inTransaction });
    if (deleted === 0) throw new AppError('restriction_not_found');
  });
}
