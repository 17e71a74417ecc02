import { z } from 'zod';
import { formDate, formId, formText } from '../kit/form';
import { reportTime } from '../kit/reportTime';

export const eventTypes = [
  'paywall_view',
  'preview_view',
  'checkout_start',
  'checkout_success',
  'playback_start',
  'playback_end',
  'register_start',
  'voucher_applied',
] as const;

/** `session_id`: the app's id of a visit. Only its hash is stored. */
export const EventBody = z.object({
  type: z.enum(eventTypes),
  item_id: formId().optional(),
  session_id: formText({ max: 200 }),
});

/** Days in UTC, both inclusive. By default the last 30 days in the merchant's time. */
export const RangeQuery = z.object({ from: formDate().optional(), to: formDate().optional() });

const range = { from: z.string(), to: z.string(), ...reportTime };
const share = z.number().nullable();

/** The number of each step in the range. Rates are relative to the previous step. */
export const Funnel = z.object({
  ...range,
  seen: z.int(),
  registered: z.int(),
  checkout: z.int(),
  paid: z.int(),
  registered_rate: share,
  paid_rate: share,
});

/** `funnel`: one line with each step. `audience`: a line for each country and each device. `item-events`: a line for each item. */
export const AnalyticsFilePath = z.object({ file: z.enum(['funnel', 'audience', 'item-events']) });

/** The first line names the columns. */
export const AnalyticsFile = z.string();

export const ItemEvents = z.object({
  ...range,
  collection: z.array(z.object({ item_id: z.int(), title: z.string(), events: z.record(z.string(), z.int()) })),
});

export const Audience = z.object({
  ...range,
  countries: z.array(z.object({ country_iso: z.string(), visits: z.int() })),
  devices: z.array(z.object({ device: z.string(), visits: z.int() })),
});
