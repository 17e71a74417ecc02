import { type Market } from '../../scripts/storeSimulator/market';
import { type SimulatedPurchase } from '../../scripts/storeSimulator/purchase';

/** Moves a market to just after the end of the paid period of a purchase. Months differ in length. */
export function passEnd(market: Market, purchase: SimulatedPurchase): void {
  const end = market.periodEnd(purchase);
  if (!end) throw new Error('the purchase has no end');
  market.advance(new Date(end.getTime() + 1000));
}
