import { lazily } from '../../kit/lazily';
import type * as OpenId from './openId';
import type * as Probe from './probe';
import { type CompanyFlow, type CompanyProfile, type ProviderProblem, type ProviderSettings } from './provider';

const openIdModule = lazily<typeof OpenId>(require, './openId');
const probeModule = lazily<typeof Probe>(require, './probe');

/** The address where a person signs in. Throws `CompanyProviderError`. */
export function authorizationUrl(settings: ProviderSettings, flow: CompanyFlow): Promise<URL> {
  return openIdModule().authorizationUrl(settings, flow);
}

/**
 * Redeems the code of an answer and verifies its ID token. `flow.callback` has the parameters that the provider added.
 * Throws `CompanyProviderError`.
 */
export function getProfile(settings: ProviderSettings, flow: CompanyFlow): Promise<CompanyProfile> {
  return openIdModule().getProfile(settings, flow);
}

/** The fields of the settings that the provider does not accept. */
export function findProblems(settings: ProviderSettings, callback: URL): Promise<ProviderProblem[]> {
  return probeModule().findProblems(settings, callback);
}
