import { readAppsAfter } from '../../accounts/apps';
import { listRegisterFields } from '../../accounts/registerFields';
import { readInvitationsAfter } from '../../accounts/staff/invitations';
import { readMembersAfter } from '../../accounts/staff/members';
import { listFeatures } from '../../features/features';
import { merchant } from '../../kit/auth';
import { listCountrySets } from '../../restrictionSettings/countrySets';
import { listGlobalDomains, listItemDomains } from '../../restrictionSettings/domains';
import { listGeoSets } from '../../restrictionSettings/geoSets';
import { readDeliveries } from '../../webhooks/deliveries';
import { listWebhooks } from '../../webhooks/webhooks';
import { listReportSchedules } from '../schedules';
import { byId, type List, needed, whole } from './lists';

/** Exports of restrictions. */
export const restrictionLists = {
  'country-sets': {
    auth: merchant('restrictions:write'),
    filters: [],
    columns: 'id name type global countries created_at',
    read: async (caller) =>
      whole((await listCountrySets(caller)).map((set) => ({ ...set, countries: namesOf(set.countries, 'country') }))),
  },
  'geo-sets': {
    auth: merchant('restrictions:write'),
    filters: [],
    columns: 'id name type global countries regions cities created_at',
    read: async (caller) =>
      whole(
        (await listGeoSets(caller)).map((set) => ({
          ...set,
          countries: namesOf(set.countries, 'country'),
          regions: namesOf(set.regions, 'name'),
          cities: set.cities.map(({ name, country, region }) => [name, country, region].filter(Boolean).join(', ')),
        })),
      ),
  },
  domains: {
    auth: merchant('restrictions:write'),
    filters: ['item_id'],
    columns: 'id item_id type domain',
    read: async (caller, { item_id: itemId }) =>
      whole(await (itemId === undefined ? listGlobalDomains(caller, undefined) : listItemDomains(caller, itemId))),
  },
} as const satisfies Record<string, List>;

/** Exports of the people who sign in for the merchant. */
export const staffLists = {
  staff: {
    auth: merchant('staff:write'),
    filters: [],
    columns: 'id email full_name role=role_name scopes has_second_factor last_sign_in_at created_at',
    read: (caller) => byId((limit, after) => readMembersAfter(caller, limit, after)),
  },
  'staff-invitations': {
    auth: merchant('staff:write'),
    filters: [],
    columns: 'id email role=role_name scopes invited_by is_expired expires_at created_at',
    read: (caller) => byId((limit, after) => readInvitationsAfter(caller, limit, after)),
  },
} as const satisfies Record<string, List>;

/** Exports of the merchant's settings. */
export const setupLists = {
  apps: {
    auth: merchant('apps:write'),
    filters: [],
    columns: 'id client_id name active default sso grant_types=grantTypes redirect_uris redirect_origins',
    read: (caller) => byId((limit, after) => readAppsAfter(caller, limit, after)),
  },
  'register-fields': {
    auth: merchant('settings:write'),
    filters: [],
    columns: 'id name label type required default_value placeholder options',
    read: async ({ merchantUuid }) =>
      whole(
        (await listRegisterFields(merchantUuid)).collection.map((field) => ({
          ...field,
          options: Object.entries(field.options).map(([value, text]) => `${value}=${text}`),
        })),
      ),
  },
  features: {
    auth: merchant('settings:write'),
    filters: [],
    columns: 'name enabled',
    read: async (caller) => whole(await listFeatures(caller)),
  },
  webhooks: {
    auth: merchant('settings:write'),
    feature: 'webhooks',
    filters: [],
    columns: 'id url events format enabled description disabled_reason disabled_at created_at updated_at',
    read: async (caller) => whole((await listWebhooks(caller)).collection),
  },
  'webhook-deliveries': {
    auth: merchant('settings:write'),
    feature: 'webhooks',
    filters: ['webhook_id'],
    needs: ['webhook_id'],
    columns: `id event_id type state attempts response_code error created_at settled_at next_attempt_at`,
    read: (caller, { webhook_id: endpointId }) => readDeliveries(caller, needed(endpointId)),
  },
  'report-schedules': {
    auth: merchant('reports:read'),
    feature: 'scheduled_reports',
    filters: [],
    columns: 'id report cadence hour time_zone language recipients recipient_states created_at updated_at',
    read: async (caller) =>
      whole(
        (await listReportSchedules(caller)).collection.map((schedule) => ({
          ...schedule,
          // In the order of the recipients.
          recipient_states: schedule.recipient_states.map(({ state }) => state),
        })),
      ),
  },
} as const satisfies Record<string, List>;

const namesOf = <Name extends string>(rows: readonly Record<Name, string>[], name: Name) =>
  rows.map((row) => row[name]);
