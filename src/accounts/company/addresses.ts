import { baseUrl } from '../../adapters/settings';

/** Each merchant has an address of its own, so that providers cannot be mixed up (RFC 9700 4.4). */
export function callbackOf(merchantUuid: string): URL {
  return new URL(`${baseUrl}/accounts/company/${merchantUuid}/callback`);
}

/** The sign-in page of the console, for a company and with the reason of a refused sign-in. */
export function signInPage(query: { company: string; refused?: string }): string {
  return `${baseUrl}/console/sign-in?${new URLSearchParams(query).toString()}`;
}
