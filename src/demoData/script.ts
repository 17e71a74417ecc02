import { demoDays } from '../../workflows/messages';

/** What demo data consists of. Prices are in the major unit. */

const dayMs = 86_400_000;

/** A customer who joins in this step is overdue at the end: the renewal is three to six days earlier. */
const overdueStep = 11;

/** The time of a step in milliseconds, from the start of the year. */
export function offsetOf(step: number): number {
  const day = demoDays[step];
  if (day === undefined) throw new Error(`demo data has no step ${step}`);
  return day * dayMs;
}

/** What requests and purchases of a filling have in common, so that its rows are known. */
export const markOf = (fill: { token: string }) => `demo-${fill.token}`;

export const currency = 'EUR';
export const voucherCode = 'WELCOME20';

interface DemoFee {
  description: string;
  access_type: 'subscription' | 'ppv';
  quantity: number;
  period: 'day' | 'month' | 'year';
  amount: number;
  trialDays?: number;
}

export interface DemoItem {
  title: string;
  content: string;
  isGiftable?: true;
  fees: readonly DemoFee[];
}

const every = { access_type: 'subscription', quantity: 1 } as const;

export const items = [
  {
    title: 'The Daily, digital',
    content: '<h1>The Daily</h1><p>Every article of today.</p>',
    fees: [
      { ...every, description: 'Monthly', period: 'month', amount: 9.99 },
      { ...every, description: 'Yearly', period: 'year', amount: 99 },
    ],
  },
  {
    title: 'Archive since 1950',
    content: '<h1>Archive</h1><p>Every edition since 1950.</p>',
    fees: [{ ...every, description: 'Archive, monthly', period: 'month', amount: 4.99, trialDays: 7 }],
  },
  {
    title: 'Cup final, live',
    content: '<h1>Cup final</h1><p>Ninety minutes, live.</p>',
    isGiftable: true,
    fees: [{ description: 'Pass for two days', access_type: 'ppv', quantity: 2, period: 'day', amount: 4.99 }],
  },
] as const satisfies readonly DemoItem[];
export type FeeName = (typeof items)[number]['fees'][number]['description'];

/** The test cards of the sandbox. */
const cards = {
  good: '4242424242424242',
  /** One card has one trial of an item. */
  alsoGood: '4111111111111111',
  declined: '4000000000000002',
  declinedAtRenewal: '4000000000000614',
  declinedOnceAtRenewal: '4000000000000622',
} as const;
export type CardName = keyof typeof cards;
export const cardNumberOf = (name: CardName) => cards[name];

export interface DemoReader {
  name: string;
  joins: number;
  buys: FeeName;
  card?: CardName;
  usesVoucher?: true;
  /** The name of the reader who receives the purchase as a gift. */
  gives?: string;
  then?: DemoAct;
}

export interface DemoAct {
  /** Later than the purchase, which takes a moment. */
  step: number;
  kind: 'cancel' | 'cancelNow' | 'pause' | 'refund';
  /** Part of a refund. */
  amount?: number;
}

export const readers: readonly DemoReader[] = [
  { name: 'Ada Lindqvist', joins: 0, buys: 'Monthly' },
  { name: 'Ben Okafor', joins: 0, buys: 'Monthly', then: { step: 8, kind: 'cancel' } },
  { name: 'Carla Ruiz', joins: 0, buys: 'Yearly' },
  { name: 'Deniz Aydin', joins: 1, buys: 'Monthly', card: 'declinedOnceAtRenewal' },
  { name: 'Emil Novak', joins: 1, buys: 'Archive, monthly' },
  { name: 'Farah Haddad', joins: 2, buys: 'Monthly', then: { step: 5, kind: 'refund' } },
  { name: 'Gustav Holm', joins: 2, buys: 'Monthly', card: 'declined' },
  { name: 'Hana Sato', joins: 3, buys: 'Pass for two days', gives: 'Ivo Petrov' },
  { name: 'Ivo Petrov', joins: 3, buys: 'Monthly' },
  { name: 'Jana Weber', joins: 4, buys: 'Archive, monthly', then: { step: 13, kind: 'cancelNow' } },
  { name: 'Karim Benali', joins: 4, buys: 'Pass for two days' },
  { name: 'Lena Fischer', joins: 5, buys: 'Monthly', card: 'declinedAtRenewal' },
  { name: 'Marco Bianchi', joins: 5, buys: 'Monthly', usesVoucher: true },
  { name: 'Nora Dahl', joins: 6, buys: 'Yearly' },
  { name: 'Omar Farouk', joins: 6, buys: 'Monthly', then: { step: 9, kind: 'pause' } },
  { name: 'Paula Costa', joins: 7, buys: 'Monthly', usesVoucher: true },
  { name: 'Quinn Murphy', joins: 8, buys: 'Pass for two days', then: { step: 9, kind: 'refund' } },
  { name: 'Rosa Marino', joins: 9, buys: 'Monthly' },
  { name: 'Sven Berg', joins: 10, buys: 'Archive, monthly' },
  { name: 'Wim de Vries', joins: overdueStep, buys: 'Monthly', card: 'declinedAtRenewal' },
  { name: 'Tariq Aziz', joins: 12, buys: 'Monthly', then: { step: 15, kind: 'refund', amount: 5 } },
  { name: 'Uma Patel', joins: 13, buys: 'Monthly', usesVoucher: true },
  { name: 'Vera Popova', joins: 14, buys: 'Pass for two days' },
  { name: 'Yusuf Demir', joins: 15, buys: 'Yearly', then: { step: 17, kind: 'cancel' } },
  { name: 'Xenia Petridou', joins: 17, buys: 'Archive, monthly', card: 'alsoGood' },
  { name: 'Zoe Laurent', joins: 18, buys: 'Pass for two days', card: 'declined' },
];

export const emailOf = (name: string) => `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
