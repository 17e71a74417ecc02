import { accountDataActivities } from './accountData';
import { billingActivities } from './billing';
import { withFailures } from './failure';
import { paymentActivities } from './payments';

/** Everything that a worker does for workflows. */
export function createActivities() {
  return withFailures({ ...billingActivities, ...paymentActivities, ...accountDataActivities });
}

export type Activities = ReturnType<typeof createActivities>;
