import { DeliveryStatus } from '@apple/app-store-server-library';
import { z } from 'zod';
import { type FaceRequest } from './face';

/** The endpoint "Send Consumption Information" of the App Store Server API, version 2. */

const Consumption = z.strictObject({
  customerConsented: z.boolean(),
  deliveryStatus: z.enum(DeliveryStatus),
  sampleContentProvided: z.boolean(),
  consumptionPercentage: z.int().min(0).max(100_000).optional(),
  refundPreference: z.enum(['DECLINE', 'GRANT_FULL', 'GRANT_PRORATED']).optional(),
});

export type ConsumptionRecord = z.output<typeof Consumption> & { transactionId: string };

/** Apple's error codes by invalid field. */
const errorCodes: Readonly<Record<string, number>> = {
  customerConsented: 4000035,
  deliveryStatus: 4000036,
  sampleContentProvided: 4000041,
};

/**
 * Checks a request like Apple does: the customer must consent, and Apple must have asked about the transaction.
 * `requested`: the transactions that Apple has asked about.
 */
export function readConsumption(
  { method, body }: FaceRequest,
  transactionId: string,
  requested: ReadonlySet<string>,
): { record?: ConsumptionRecord; refusal?: [code: number, message: string] } {
  if (method !== 'PUT' || !requested.has(transactionId)) return { refusal: [4000006, 'Invalid transaction id.'] };
  const read = Consumption.safeParse(JSON.parse(body === '' ? '{}' : body));
  if (!read.success) {
    const field = String(read.error.issues[0]?.path[0] ?? '');
    return { refusal: [errorCodes[field] ?? 4000000, `Invalid request: ${field}.`] };
  }
  if (!read.data.customerConsented) return { refusal: [4000035, 'The customer has not consented.'] };
  return { record: { transactionId, ...read.data } };
}
