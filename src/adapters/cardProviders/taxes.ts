/** The tax of a card provider (Stripe Tax). Each call makes one attempt, and every answer of the provider is a result. */
export interface TaxMaker {
  /** Calculates the tax within an amount, or the tax that is added to it. It has no effect at the provider. */
  calculate(request: TaxRequest): Promise<CalculationResult>;
  /** Records a sale that was calculated before, so that the provider's reports contain it. A repeated reference records it once. */
  record(sale: { calculation: string; reference: string }): Promise<RecordingResult>;
  /** Takes a part of a recorded sale back. A repeated reference takes it back once. */
  reverse(reversal: TaxReversal): Promise<RecordingResult>;
}

export interface TaxRequest {
  /** In the minor unit of the currency, above zero. */
  amountMinor: number;
  /** The amount is without tax. Absent: it includes the tax. */
  isNet?: boolean;
  /** ISO 4217, upper case. */
  currency: string;
  kind: 'standard' | 'ebook' | 'press';
  address: TaxAddress;
  /** The tax number of a business in the country of the address. */
  taxNumber?: string;
  /** The merchant's time, whose rates apply. */
  at: Date;
  /** A person waits for a page: the provider has less time to answer. */
  isQuote?: boolean;
}

/** Where a customer is located. An unknown part is absent. */
export interface TaxAddress {
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** ISO 3166-2, such as US-NY. */
  region?: string;
  postalCode?: string;
  city?: string;
  line?: string;
}

export type CalculationResult =
  | {
      outcome: 'calculated';
      /** The provider's id, by which the sale is recorded. */
      calculation: string;
      /** In the minor unit of the currency. */
      taxMinor: number;
      /** The taxes of the jurisdictions, one after another. */
      parts: TaxPart[];
    }
  /** The address is too short or wrong: in the United States the provider needs a postal code. */
  | { outcome: 'not_located' }
  /** Only the merchant or the operator can correct it: the provider's tax is not set up, or the key has no permission. */
  | { outcome: 'misconfigured'; fault: { code: string; message: string } }
  | { outcome: 'unavailable' };

/** The tax of one jurisdiction. */
export interface TaxPart {
  /** Of the jurisdiction; absent if nothing is collected there. */
  country?: string;
  /** Without the country, such as NY. */
  state?: string;
  milliPercent: number;
  amountMinor: number;
  /** The provider's word, such as `standard_rated`, `reverse_charge` and `not_collecting`. */
  reason: string;
}

export interface TaxReversal {
  /** The recorded sale and its line, as `record` has returned them. */
  transaction: string;
  line: string;
  reference: string;
  /** With the tax, above zero. */
  amountMinor: number;
  taxMinor: number;
  currency: string;
}

export type RecordingResult =
  | { outcome: 'recorded'; transaction: string; line: string }
  /** No repetition helps. */
  | { outcome: 'refused'; message: string }
  | { outcome: 'unavailable' };
