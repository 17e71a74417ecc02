import { accountDataActivities } from './accountData';
import { billingActivities } from './billing';
import { externalPaymentActivities } from './externalPayments';
import { withFailures } from './failure';
import { paymentActivities } from './payments';
import { reportActivities } from './reports';
import { webhookActivities } from './webhooks';

/** Everything that a worker does for workflows. */
export function createActivities() {
  return withFailures({
    ...billingActivities,
    ...paymentActivities,
    ...accountDataActivities,
    ...externalPaymentActivities,
    ...webhookActivities,
    ...reportActivities,
  });
}

export type Activities = ReturnType<typeof createActivities>;
