import { adoptPurchase } from '../src/externalPayments/unclaimed';
import { readStoreHistories } from '../src/externalPayments/histories';
import { acknowledgePurchase, syncPurchase } from '../src/externalPayments/purchases/purchases';
import { validateClaim } from '../src/externalPayments/validation';
import { withHeartbeat } from './heartbeat';

export const externalPaymentActivities = {
  validateExternalPayment: withHeartbeat(validateClaim),
  syncStorePurchase: withHeartbeat(syncPurchase),
  adoptStorePurchase: withHeartbeat(adoptPurchase),
  acknowledgeStorePurchase: withHeartbeat(acknowledgePurchase),
  readStoreHistories: withHeartbeat(readStoreHistories),
};
