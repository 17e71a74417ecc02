import { registerRooms } from '../src/registrations';
import { accountDataActivities } from './accountData';
import { billingActivities } from './billing';
import { demoDataActivities } from './demoData';
import { externalPaymentActivities } from './externalPayments';
import { withFailures } from './failure';
import { paymentActivities } from './payments';
import { reportActivities } from './reports';
import { webhookActivities } from './webhooks';

/** All activities of a worker. */
export function createActivities() {
  registerRooms();
  return withFailures({
    ...billingActivities,
    ...paymentActivities,
    ...accountDataActivities,
    ...externalPaymentActivities,
    ...webhookActivities,
    ...reportActivities,
    ...demoDataActivities,
  });
}

export type Activities = ReturnType<typeof createActivities>;
