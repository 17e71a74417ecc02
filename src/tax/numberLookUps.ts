import { now } from '../adapters/clock';
import { transaction } from '../adapters/postgres/connection';
import { hasRegister, lookUpTaxNumber } from '../adapters/vies';
import { queueMail } from '../mail/mail';
import { findRequester } from './billingDetails';
import {
  confirmTaxNumber,
  listDueNumbers,
  noteUnanswered,
  removeTaxNumber,
  type StoredNumber,
} from './billingDetails.model';

/** The number of look-ups in an hour. The register of a member state refuses too many at once. */
const atMost = 200;

/** A business can lose its registration. Sellers state their sales to businesses each month, so each number is proved again. */
const confirmedForMs = 30 * 86_400_000;

/**
 * Looks up the tax numbers of the European Union that VIES has not confirmed for 30 days, or not yet, because it did not answer
 * when they were entered. The call is hourly. A number that is not registered is removed, so its customer is a consumer from
 * the next charge on. If a member state does not answer, its other numbers wait for the next hour.
 */
export async function lookUpTaxNumbers(): Promise<void> {
  if (!hasRegister) return;
  const silent = new Set<string>();
  const confirmedBefore = new Date(now().getTime() - confirmedForMs);
  for (const row of await listDueNumbers(confirmedBefore, atMost)) {
    const state = row.taxNumber.slice(0, 2);
    if (silent.has(state)) await noteUnanswered(row);
    else if (!(await lookUp(row))) silent.add(state);
  }
}

/** Whether the register has answered. */
async function lookUp(row: StoredNumber): Promise<boolean> {
  const found = await lookUpTaxNumber(row.taxNumber, await findRequester(row.merchantId));
  if (found.outcome === 'unknown' || found.outcome === 'refused') await noteUnanswered(row);
  else if (found.outcome === 'registered')
    await confirmTaxNumber(row, { confirmedAt: now(), confirmation: found.reference, entry: found.entry });
  else await remove(row);
  return found.outcome !== 'unknown';
}

/** Removes a number and mails its customer, because the next charge has tax. The console shows removed numbers to the merchant. */
async function remove(row: StoredNumber): Promise<void> {
  const { merchantId, accountId, taxNumber: number } = row;
  await transaction(async (inTransaction) => {
    const to = await removeTaxNumber(row, now(), inTransaction);
    const mail = { merchantId, accountId, template: 'tax_number_removed', values: { number } } as const;
    if (to !== undefined) await queueMail(inTransaction, { ...mail, to });
  });
}
