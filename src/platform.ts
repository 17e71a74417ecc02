import { subscriptionWorkflowId } from '../workflows/messages';
import {
  baseUrl,
  environmentName,
  merchantSignupIsOpen,
  operatorClientId,
  platformClientId,
  temporalNamespace,
  temporalUiUrl,
} from './adapters/settings';

/** Facts about the service for pages. */

export { baseUrl, merchantSignupIsOpen, operatorClientId, platformClientId };
export const isTestEnvironment = environmentName === 'test';

/** A run by its id, and its address in the Temporal UI; empty if `TEMPORAL_UI_URL` is not set. */
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
