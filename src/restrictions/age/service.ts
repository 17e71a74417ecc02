import { getItemRow } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { changeRules, type RuleChange } from '../rules/service';
import { AgeRestriction, saveMinAge } from './model';
import { presentGlobalAge, presentItemAge } from './presenter';

export async function getGlobalAge(caller: Caller) {
  return presentGlobalAge(await getRule(caller, null), caller.merchantUuid);
}

/** The item's own rule, not the merchant's that stands in for one. */
export async function getItemAge(caller: Caller, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  return presentItemAge(await getRule(caller, itemId), itemId);
}

/** Applies from the next access check on, to those who have access already as well. */
export async function setGlobalAge(caller: Caller, minAge: number) {
  await saveRule(caller, null, minAge);
  return message('The age restriction has been successfully saved');
}

export async function setItemAge(caller: Caller, itemId: number, minAge: number) {
  await getItemRow(caller.merchantId, itemId);
  await saveRule(caller, itemId, minAge);
  return message('The age restriction of the item has been successfully saved');
}

/** The items' own rules stay. */
export async function deleteGlobalAge(caller: Caller) {
  await deleteRule(caller, null);
  return message('The age restriction has been successfully deleted');
}

/** From here on the merchant's rule applies to the item, if there is one. */
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
  return changeRules(caller, change('restriction.set_age', itemId), (inTransaction) =>
    saveMinAge(inTransaction, { merchantId: caller.merchantId, itemId, minAge }),
  );
}

async function deleteRule(caller: Caller, itemId: number | null): Promise<void> {
  const where = { merchantId: caller.merchantId, itemId };
  await changeRules(caller, change('restriction.delete_age', itemId), async (inTransaction) => {
    const deleted = await AgeRestriction.destroy({ where, transaction: inTransaction });
    if (deleted === 0) throw new AppError('restriction_not_found');
  });
}

function change(action: RuleChange['action'], itemId: number | null): RuleChange {
  return itemId === null ? { action, objectType: 'merchant' } : { action, objectType: 'item', objectId: itemId };
}
