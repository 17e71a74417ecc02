import { type ReconciliationResult } from '../../workflows/messages';
import { sendReminders } from './lifecycle/reminders';
import { lookUpTaxNumbers } from '../tax/numberLookUps';
import { reconcileCharges } from './provider/reconciliation';

/** The hourly work: reminders, look-ups of tax numbers, and the comparison with the payment accounts. */
export async function doHourlyWork(): Promise<ReconciliationResult> {
  await sendReminders();
  await lookUpTaxNumbers();
  return reconcileCharges();
}
