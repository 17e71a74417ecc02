import { APIException, DeliveryStatus } from '@apple/app-store-server-library';
import { type ApiClient } from './appleApi';
import { type Consumption, type ConsumptionAnswer } from './store';

/** Apple's unit is a thousandth of a percent. */
const fullyConsumed = 100_000;

/** Answers a CONSUMPTION_REQUEST. The caller must have checked that the customer consents. */
export async function sendConsumption(
  client: ApiClient,
  { transactionId, isDelivered, hadTrial, usedShare }: Consumption,
): Promise<ConsumptionAnswer> {
  try {
    await client.sendConsumptionInformation(transactionId, {
      customerConsented: true,
      deliveryStatus: isDelivered ? DeliveryStatus.DELIVERED : DeliveryStatus.UNDELIVERED_OTHER,
      sampleContentProvided: hadTrial,
      ...(usedShare !== undefined && { consumptionPercentage: Math.round(usedShare * fullyConsumed) }),
    });
    return { outcome: 'sent' };
  } catch (error) {
    const status = error instanceof APIException ? error.httpStatusCode : 0;
    // A merchant can replace a refused key, and a rate limit passes: the answer is sent again until its deadline.
    if (status < 400 || status >= 500 || [401, 403, 408, 429].includes(status)) return { outcome: 'unavailable' };
    return { outcome: 'refused', message: messageOf(error, status) };
  }
}

function messageOf(error: unknown, status: number): string {
  const { apiError, errorMessage } = error instanceof APIException ? error : { apiError: null, errorMessage: null };
  return [status, apiError, errorMessage].filter(Boolean).join(' ').slice(0, 500);
}
