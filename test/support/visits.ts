import { call } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

export const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';

/** An app reports what its visitor did. */
export function tell(app: TestApp, caller: Person, fields: Record<string, unknown>, userAgent = phone) {
  const options = { token: caller.token, headers: { 'User-Agent': userAgent } };
  return call(app, 'POST', '/analytics/events', fields, options);
}
