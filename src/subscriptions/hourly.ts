import { type ReconciliationResult } from '../../workflows/messages';
import { sendReminders } from './lifecycle/reminders';
import { reconcileCharges } from './provider/reconciliation';

/** The hourly work: reminders, and the comparison with the payment accounts. */
export async function doHourlyWork(): Promise<ReconciliationResult> {
  await sendReminders();
  return reconcileCharges();
}
