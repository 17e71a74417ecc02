import { subscriptionWorkflowId } from '../../workflows/messages';
import {
  baseUrl,
  environmentName,
  merchantSignupIsOpen,
  platformClientId,
  temporalNamespace,
  temporalUiUrl,
} from '../adapters/settings';

/** What pages tell of the service itself. */

export { baseUrl, merchantSignupIsOpen, platformClientId };
export const isTestEnvironment = environmentName === 'test';

/** A durable run by its id, and where Temporal's own pages show it: empty where `TEMPORAL_UI_URL` does not say. */
export interface Run {
  workflow_id: string;
  workflow_url: string;
}

export function runOf(workflowId: string): Run {
  const path = `namespaces/${encodeURIComponent(temporalNamespace)}/workflows/${encodeURIComponent(workflowId)}`;
  const isShown = workflowId !== '' && temporalUiUrl !== undefined;
  return { workflow_id: workflowId, workflow_url: isShown ? `${temporalUiUrl}/${path}` : '' };
}

export function runOfSubscription(subscriptionToken: string): Run {
  return runOf(subscriptionWorkflowId(subscriptionToken));
}
