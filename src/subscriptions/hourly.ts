import { type ReconciliationResult } from '../../workflows/messages';
import { sendReminders } from './lifecycle/reminders';
import { lookUpTaxNumbers } from '../tax/numberLookUps';
import { recordTaxes } from '../tax/recordings';
import { reconcileCharges } from './provider/reconciliation';
import { findTaxesOf } from './provider/taxAccounts';

/** The hourly work: reminders, look-ups of tax numbers, recordings of tax, and the comparison with the payment accounts. */
export async function doHourlyWork(): Promise<ReconciliationResult> {
  await sendReminders();
  await lookUpTaxNumbers();
  await recordTaxes(findTaxesOf);
  return reconcileCharges();
}
