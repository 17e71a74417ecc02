import { billingActivities } from './billing';
import { withFailures } from './failure';

/** Everything that a worker does for workflows. */
export function createActivities() {
  return withFailures({ ...billingActivities });
}

export type Activities = ReturnType<typeof createActivities>;
