import { allowsMethod } from '../accounts/merchants/followers';
import { findMethodName, paymentMethods } from '../billing/paymentMethods';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';

/**
 * Refuses payment methods that are not offered. Such a method is refused by its name, so that a client can tell the refusal
 * from a wrong address.
 */

/**
 * Throws `payment_method_not_offered` unless the merchant's customers can pay by the method, which a client names by its id or
 * its name; by default it is the card.
 */
export async function refuseMethod({ merchantId }: Caller, text = 'card'): Promise<void> {
  const name = findMethodName(text);
  if (name === undefined)
    throw new AppError('invalid_input', {
      errors: { payment_method: 'The payment_method must be one, such as 1 (Card).' },
    });
  const { id, title } = paymentMethods[name];
  if (name !== 'card' || !(await allowsMethod(merchantId, id))) throw notOffered(title);
}

/** Refuses a call that serves only a method which no card provider makes. */
export function refuseUnoffered(title: string): Promise<never> {
  return Promise.reject(notOffered(title));
}

function notOffered(title: string): AppError {
  const explain = `The payment method ${title} is not offered here.`;
  return new AppError('payment_method_not_offered', { explain, errors: { payment_method: explain } });
}
