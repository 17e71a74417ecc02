import { type z } from 'zod';
import { type PairingResponse, type StartedPairing } from '../../src/accounts/pairings/pairings.schemas';
import { call } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

const path = '/v2/accounts/pairings';
type At = Pick<TestApp, 'address'>;

export const roku = 'Roku/DVP-14.0 (14.0.4.1234)';

/** A television shows a code. */
export const startPairing = (app: At, clientId: string, fields: Record<string, string> = {}) =>
  call<z.output<typeof StartedPairing>>(
    app,
    'POST',
    path,
    { client_id: clientId, ...fields },
    {
      headers: { 'User-Agent': roku },
    },
  );

/** The television asks whether it is signed in. */
export const poll = (app: At, clientId: string, deviceCode: string) =>
  call<{ error?: string; access_token: string; account: { id: number } }>(
    app,
    'POST',
    `${path}/token`,
    { client_id: clientId, device_code: deviceCode },
    { headers: { 'User-Agent': roku } },
  );

export const getPairing = (app: At, userCode: string, person: Person) =>
  call<z.output<typeof PairingResponse>>(app, 'GET', `${path}/${encodeURIComponent(userCode)}`, undefined, person);

export const answerPairing = (app: At, userCode: string, person: Person, isApproved = true) =>
  call(app, 'PUT', `${path}/${encodeURIComponent(userCode)}`, { is_approved: isApproved }, person);
