import fc from 'fast-check';
import { payable } from '../../../src/billing/discounts';
import {
  creditLeft,
  refundableMinor,
  settleDue,
  stepMinor,
  takeBack,
  type ChargeMoney,
} from '../../../src/billing/dues';
import { periodEnd } from '../../../src/billing/periods';
import { size } from '../../support/size';
import {
  quoteSwitch,
  settleSwitch,
  switchModes,
  type SwitchMode,
  type SwitchQuote,
} from '../../../src/billing/proration';

/**
 * One equation, after every step: money in − money out − credit + debt = price of the time given. The test computes the
 * price on its own: what each period of time costs, less what was free. A direct debit is decided many steps later. Until then
 * the credit that it uses is set aside, and its money has not arrived.
 */

interface Charge extends ChargeMoney {
  /** The charges whose money can be part of the current period, including one that a plan change began. */
  isRunning: boolean;
  /** The part of the due amount that the balance has paid. */
  takenMinor: number;
  disputed?: Disputed;
}

/** The money that the payer's bank took back, and the credit that was reversed with it. */
interface Disputed {
  outMinor: number;
  creditMinor: number;
}

/** A refund at the provider, the used credit that it has paid out, and what a failed debit has returned of it. */
interface PaidBack {
  of: Charge;
  amountMinor: number;
  creditMinor: number;
  excessMinor: number;
  takenMinor: number;
}

/** What a charge or a debit has lost by one dispute or refund. */
interface Loss {
  cause: Disputed | PaidBack;
  on: Charge | Debit;
  /** The money of the charge itself has gone back, and not that of a credit which it used. */
  isOwn: boolean;
  amountMinor: number;
  /** The part by which the period counts as unpaid. */
  unpaidMinor: number;
  /** The credit that a plan change has not given because of the loss. */
  withheldMinor: number;
}

interface Running {
  priceMinor: number;
  period: 'month' | 'year';
  /** The price of the time from `fromMs` to `endMs`, less what has gone back. Credits are computed from it. */
  paidMinor: number;
  priceOfTimeMinor: number;
  fromMs: number;
  startMs: number;
  endMs: number;
  isTrial: boolean;
}

interface World {
  currency: string;
  atMs: number;
  balanceMinor: number;
  inMinor: number;
  outMinor: number;
  givenMinor: number;
  charges: Charge[];
  losses: Loss[];
  paidBack: PaidBack[];
  running?: Running | undefined;
  /** What the card pays. */
  isGood: boolean;
  /** The customer pays by direct debit. */
  isDebit: boolean;
  /** A first debit gives access at submission, or with the money. */
  opensEarly: boolean;
  debit?: Debit | undefined;
}

/** A debit on which the bank has not decided. */
interface Debit {
  chargeMinor: number;
  takenMinor: number;
  dueMinor: number;
  /** The plan that a first debit buys. Absent: a renewal, which keeps its access. */
  first?: Plan & { opensEarly: boolean };
  /** The charges that were disputed, and the refunds at the provider, since the submission. */
  disputed: Charge[];
  paidBack: PaidBack[];
  /** The subscription has ended: the money is refunded if it arrives. */
  isGivenUp: boolean;
}

interface Plan {
  priceMinor: number;
  period: Running['period'];
}

type Step =
  | { do: 'buy'; price: number; percent: number; isTrial: boolean; isYear: boolean }
  // `meanwhile`: what happens between the agreement on the price and the change.
  | { do: 'switch'; price: number; isYear: boolean; mode: SwitchMode | undefined; meanwhile?: Step | undefined }
  | { do: 'pass'; part: number }
  | { do: 'renew' }
  | { do: 'pause' }
  | { do: 'cancel'; atEnd: boolean }
  | { do: 'refund' | 'payBack'; charge: number; part: number }
  // `disputeRecorded`: the dispute is in the database, and the run of the subscription has not ended the access yet.
  // A dispute that is reported again takes back what has become unused since.
  | { do: 'dispute' | 'disputeRecorded'; charge: number; part: number }
  | { do: 'win'; charge: number }
  | { do: 'failPaidBack'; refund: number }
  | { do: 'card'; isGood: boolean }
  | { do: 'method'; isDebit: boolean; opensEarly: boolean }
  | { do: 'decide'; isPaid: boolean };

/** Opens a charge that uses the balance. A declined charge returns it. Returns whether the due is paid. */
function charge(world: World, dueMinor: number): boolean {
  const { chargeMinor, takenMinor } = settleDue(dueMinor, world.balanceMinor, world.currency);
  if (chargeMinor > 0 && !world.isGood) return false;
  world.balanceMinor -= takenMinor;
  world.inMinor += chargeMinor;
  world.charges.push(newCharge(chargeMinor, takenMinor));
  return true;
}

const newCharge = (amountMinor: number, takenMinor: number): Charge => ({
  ...{ amountMinor, takenMinor, refundedMinor: 0, creditedMinor: 0 },
  isRunning: true,
});

const isRunning = ({ on }: Loss) => 'isRunning' in on && on.isRunning;
const sumOf = (losses: readonly Loss[], part: 'amountMinor' | 'unpaidMinor') =>
  losses.reduce((sum, loss) => sum + loss[part], 0);
/** What a dispute or a refund has taken from periods: of its own charge, or of those that used its credit. */
const lostBy = ({ losses }: World, of: Loss['cause'], own: boolean) =>
  sumOf(
    losses.filter(({ cause, isOwn }) => cause === of && isOwn === own),
    'amountMinor',
  );
/** The part of the balance that a charge has left. */
const leftOn = ({ losses }: World, charged: Charge | Debit) =>
  charged.takenMinor -
  sumOf(
    losses.filter(({ on, isOwn }) => on === charged && !isOwn),
    'amountMinor',
  );

/** Submits a debit that uses the balance. False: the balance pays alone, so that there is nothing to submit. */
function submit(world: World, dueMinor: number, first?: Debit['first']): boolean {
  const { chargeMinor, takenMinor } = settleDue(dueMinor, world.balanceMinor, world.currency);
  if (chargeMinor === 0) return false;
  world.balanceMinor -= takenMinor;
  world.debit = {
    chargeMinor,
    takenMinor,
    dueMinor,
    disputed: [],
    paidBack: [],
    isGivenUp: false,
    ...(first && { first }),
  };
  for (const each of world.charges) each.isRunning = false;
  return true;
}

/** The bank decides days after the submission. */
function decide(world: World, isPaid: boolean): void {
  const { debit } = world;
  if (!debit) return;
  if (!isPaid) return fail(world, debit);
  const { first, dueMinor, chargeMinor, takenMinor, isGivenUp } = debit;
  world.debit = undefined;
  world.inMinor += chargeMinor;
  if (isGivenUp) return void (world.outMinor += chargeMinor);
  world.givenMinor += dueMinor;
  const paid = newCharge(chargeMinor, takenMinor);
  world.charges.push(paid);
  const lost = world.losses.filter(({ on }) => on === debit);
  for (const loss of lost) loss.on = paid;
  if (first && !first.opensEarly) world.running = runFrom(world.atMs, first);
  if (world.running)
    Object.assign(world.running, { paidMinor: dueMinor - sumOf(lost, 'unpaidMinor'), priceOfTimeMinor: dueMinor });
}

/** The time since the submission is free. A first debit ends its access, and a renewal can be submitted again. */
function fail(world: World, { first }: Debit): void {
  giveUp(world);
  world.debit = undefined;
  if (!first && world.running) world.running.endMs = world.atMs;
  if (first?.opensEarly) end(world);
}

/** The credit comes back, less the part of charges that were disputed or refunded since the submission. The bank may still pay. */
function giveUp(world: World): void {
  const { debit } = world;
  if (!debit || debit.isGivenUp) return;
  world.balanceMinor += debit.takenMinor;
  world.losses = world.losses.filter(({ on }) => on !== debit);
  let leftMinor = Math.max(0, debit.takenMinor);
  for (const of of debit.disputed) if (of.disputed) leftMinor -= reverseMore(world, of, of.disputed, leftMinor);
  for (const back of debit.paidBack) leftMinor -= takeExcess(world, back, leftMinor);
  Object.assign(debit, { takenMinor: 0, isGivenUp: true });
}

/** Reverses credit that has become unused since the dispute was reported, at most the disputed money that is left. */
function reverseMore(world: World, of: Charge, disputed: Disputed, maxMinor: number): number {
  const lostMinor = lostBy(world, disputed, false);
  const moneyMinor = disputed.outMinor - lostBy(world, disputed, true) - disputed.creditMinor - lostMinor;
  const unusedMinor = Math.min(of.creditedMinor - lostMinor, world.balanceMinor);
  const creditMinor = Math.max(0, Math.min(maxMinor, moneyMinor, unusedMinor));
  of.creditedMinor -= creditMinor;
  disputed.creditMinor += creditMinor;
  world.balanceMinor -= creditMinor;
  world.givenMinor += creditMinor;
  return creditMinor;
}

/** Takes credit back that a refund at the provider has paid out, unless periods have lost it. */
function takeExcess(world: World, back: PaidBack, maxMinor: number): number {
  const moneyMinor = Math.min(back.excessMinor, back.amountMinor - back.creditMinor - lostBy(world, back, true));
  const restMinor = moneyMinor - back.takenMinor - lostBy(world, back, false);
  const creditMinor = Math.max(0, Math.min(maxMinor, restMinor, world.balanceMinor));
  back.takenMinor += creditMinor;
  world.balanceMinor -= creditMinor;
  world.givenMinor += creditMinor;
  return creditMinor;
}

const unpaid = { paidMinor: 0, priceOfTimeMinor: 0 };

const runFrom = (atMs: number, { priceMinor, period }: Plan): Running => {
  const endMs = periodEnd(new Date(atMs), 1, { quantity: 1, period }).getTime();
  return { priceMinor, period, ...unpaid, fromMs: atMs, startMs: atMs, endMs, isTrial: false };
};

function beginPeriod(world: World, of: { priceMinor: number; period: Running['period'] }, dueMinor: number): boolean {
  const before = world.charges.map(({ isRunning }) => isRunning);
  for (const each of world.charges) each.isRunning = false;
  if (!charge(world, dueMinor)) {
    world.charges.forEach((each, index) => (each.isRunning = before[index] ?? false));
    return false;
  }
  const startMs = world.atMs;
  const endMs = periodEnd(new Date(startMs), 1, { quantity: 1, period: of.period }).getTime();
  const price = { paidMinor: dueMinor, priceOfTimeMinor: dueMinor };
  world.running = { ...of, ...price, fromMs: startMs, startMs, endMs, isTrial: false };
  world.givenMinor += dueMinor;
  return true;
}

/** The share of the time that is left, computed from the remainder, unlike in the product. */
function leftOf(paidMinor: number, { fromMs, endMs }: Running, atMs: number): number {
  const [amount, left, whole] = [BigInt(paidMinor), BigInt(Math.max(0, endMs - atMs)), BigInt(endMs - fromMs)];
  const remainder = (amount * left) % whole;
  return Number((amount * left) / whole) + (2n * remainder >= whole ? 1 : 0);
}

/** The money of a charge that can still become credit. */
const roomOf = ({ amountMinor, refundedMinor, creditedMinor, disputed }: Charge) =>
  Math.max(0, amountMinor - refundedMinor - creditedMinor - (disputed?.outMinor ?? 0));

/** Records how much of the charges of the current period became credit, latest charge first. */
function credit(world: World, amountMinor: number): void {
  let restMinor = amountMinor;
  for (const each of world.charges.filter(({ isRunning }) => isRunning).reverse()) {
    const share = Math.min(restMinor, roomOf(each));
    each.creditedMinor += share;
    restMinor -= share;
  }
}

/** What is left of the losses of the old plan: the part by which the new time counts as unpaid, and withheld credit. */
function keep(losses: Loss[], { withheldMinor, unpaidMinor }: Kept): void {
  const rest = { withheldMinor, unpaidMinor };
  for (const loss of losses) {
    const withheld = Math.min(rest.withheldMinor, loss.unpaidMinor);
    const unpaid = Math.min(rest.unpaidMinor, loss.unpaidMinor - withheld);
    Object.assign(loss, { unpaidMinor: unpaid, withheldMinor: loss.withheldMinor + withheld });
    rest.withheldMinor -= withheld;
    rest.unpaidMinor -= unpaid;
  }
}

interface Kept {
  withheldMinor: number;
  unpaidMinor: number;
}

/**
 * What a change gives for the rest of the old plan: the agreed credit, or the credit of now if more is paid by now. If less is
 * paid than the agreed credit, the credit on the balance is lower by the difference. The rest of it is unpaid in the new time.
 */
function expectedOf({ currency, atMs }: World, running: Running, quote: SwitchQuote, lostMinor: number) {
  const unit = stepMinor(currency);
  const creditOf = (minor: number) => Math.min(minor, Math.ceil(leftOf(minor, running, atMs) / unit) * unit);
  const missingMinor = Math.max(0, quote.creditMinor - running.paidMinor);
  const agreedMinor = quote.creditMinor - Math.min(missingMinor, Math.max(0, quote.balanceMinor));
  const creditMinor = Math.max(agreedMinor, creditOf(running.paidMinor));
  const paidMinor = quote.chargeMinor - Math.max(0, creditMinor - running.paidMinor);
  const withheldMinor = Math.min(lostMinor, Math.max(0, creditOf(running.paidMinor + lostMinor) - creditMinor));
  const unpaidMinor = Math.min(lostMinor - withheldMinor, quote.chargeMinor - paidMinor);
  return { creditMinor, paidMinor, withheldMinor, unpaidMinor };
}

function switchPlan(world: World, step: Extract<Step, { do: 'switch' }>): void {
  const { running } = world;
  if (world.debit || !running || running.isTrial || world.atMs >= running.endMs) return;
  const to = { priceMinor: step.price, quantity: 1, period: step.isYear ? ('year' as const) : ('month' as const) };
  const from = { priceMinor: running.priceMinor, quantity: 1, period: running.period };
  const paidTime = () => ({ ...running, currency: world.currency, periodStartMs: running.startMs });
  const quote = quoteSwitch(from, to, paidTime(), world.atMs, step.mode);
  if (quote.mode === 'next_period') return;
  if (step.meanwhile) take(world, step.meanwhile);
  const lost = world.losses.filter(isRunning);
  if (quote.totalMinor > 0 && !charge(world, quote.totalMinor)) return;
  const lostMinor = sumOf(lost, 'unpaidMinor');
  const { creditMinor, ...kept } = expectedOf(world, running, quote, lostMinor);
  const { balanceMinor, ...settled } = settleSwitch(quote, { paid: paidTime(), lostMinor, atMs: world.atMs });
  expect(settled).toEqual(kept);
  keep(lost, settled);
  world.balanceMinor += balanceMinor;
  credit(world, Math.max(0, balanceMinor));
  world.givenMinor += quote.chargeMinor - creditMinor;
  const priced = { paidMinor: settled.paidMinor, priceOfTimeMinor: quote.chargeMinor };
  const fresh = { ...running, ...priced, priceMinor: step.price, fromMs: world.atMs };
  if (!quote.isNewPeriod) return void (world.running = fresh);
  const endMs = periodEnd(new Date(world.atMs), 1, to).getTime();
  world.running = { ...fresh, period: to.period, startMs: world.atMs, endMs };
}

function end(world: World): void {
  world.running = undefined;
  for (const each of world.charges) each.isRunning = false;
  giveUp(world);
  if (!world.isDebit && settleDue(0, world.balanceMinor, world.currency).chargeMinor > 0) charge(world, 0);
}

/** The merchant refunds at the provider, which pays out used credit as well. A charge that is in use is not paid back twice. */
function payBack(world: World, { charge: index, part }: Extract<Step, { do: 'refund' | 'payBack' }>): void {
  const of = world.charges[index % Math.max(1, world.charges.length)];
  if (!of || of.disputed) return;
  const amountMinor = Math.ceil(((of.amountMinor - of.refundedMinor) * part) / 100);
  const { creditMinor, excessMinor, ...money } = takeBack(of, amountMinor, world.balanceMinor);
  Object.assign(of, money);
  const back = { of, amountMinor, creditMinor, excessMinor, takenMinor: 0 };
  giveFree(world, amountMinor, creditMinor);
  const loweredMinor = loseOwn(world, back, of, amountMinor - creditMinor);
  loseUsed(world, back, Math.min(excessMinor, amountMinor - creditMinor - loweredMinor));
  world.paidBack.push(back);
  world.debit?.paidBack.push(back);
}

/** A refund at the provider fails after its success. */
function failPaidBack(world: World, index: number): void {
  const [back] = world.paidBack.splice(index % Math.max(1, world.paidBack.length), 1);
  if (!back) return;
  const { of, amountMinor, creditMinor, excessMinor, takenMinor } = back;
  of.refundedMinor -= amountMinor;
  of.creditedMinor = Math.min(of.creditedMinor + creditMinor + excessMinor, of.amountMinor - of.refundedMinor);
  giveFree(world, -amountMinor, -creditMinor);
  world.balanceMinor += takenMinor;
  world.givenMinor -= takenMinor;
  undoLosses(world, back);
  if (world.debit) world.debit.paidBack = world.debit.paidBack.filter((each) => each !== back);
}

/** The period of the charge itself loses an amount, and at most its paid amount. Returns the lost part. */
function loseOwn(world: World, cause: Loss['cause'], on: Charge, amountMinor: number): number {
  if (!on.isRunning || !world.running) return 0;
  const partMinor = Math.min(amountMinor, world.running.paidMinor);
  lose(world, { cause, on, isOwn: true }, partMinor);
  world.running.paidMinor -= partMinor;
  return partMinor;
}

function lose(world: World, of: Pick<Loss, 'cause' | 'on' | 'isOwn'>, amountMinor: number): void {
  if (amountMinor > 0) world.losses.push({ ...of, amountMinor, unpaidMinor: amountMinor, withheldMinor: 0 });
}

/** Used credit was paid out. First a debit in process is not paid by this part, then the running period, newest charge first. */
function loseUsed(world: World, cause: Loss['cause'], lossMinor: number): void {
  const { debit, running, charges } = world;
  let restMinor = Math.max(0, lossMinor);
  if (debit && !debit.isGivenUp) {
    const partMinor = Math.max(0, Math.min(restMinor, leftOn(world, debit)));
    lose(world, { cause, on: debit, isOwn: false }, partMinor);
    restMinor -= partMinor;
  }
  for (const on of running ? charges.filter((each) => each.isRunning).reverse() : []) {
    const partMinor = Math.max(0, Math.min(restMinor, leftOn(world, on), running?.paidMinor ?? 0));
    lose(world, { cause, on, isOwn: false }, partMinor);
    if (running) running.paidMinor -= partMinor;
    restMinor -= partMinor;
  }
}

/** A dispute was won or a refund has failed: periods are paid again, and the balance gets the credit of plan changes. */
function undoLosses(world: World, cause: Loss['cause']): void {
  const undone = world.losses.filter((loss) => loss.cause === cause);
  world.losses = world.losses.filter((loss) => loss.cause !== cause);
  for (const loss of undone) {
    if (world.running && isRunning(loss)) world.running.paidMinor += loss.unpaidMinor;
    world.balanceMinor += loss.withheldMinor;
    world.givenMinor -= loss.withheldMinor;
    if ('isRunning' in loss.on) loss.on.creditedMinor += Math.min(loss.withheldMinor, roomOf(loss.on));
  }
}

function refund(world: World, { charge: index, part }: Extract<Step, { do: 'refund' | 'payBack' }>): void {
  const of = world.charges[index % Math.max(1, world.charges.length)];
  if (!of || of.disputed) return;
  const amountMinor = Math.ceil((refundableMinor(of, world.balanceMinor) * part) / 100);
  const creditMinor = Math.min(amountMinor, creditLeft(of, world.balanceMinor));
  of.refundedMinor += amountMinor;
  of.creditedMinor -= creditMinor;
  giveFree(world, amountMinor, creditMinor);
  if (of.isRunning && world.running)
    world.running.paidMinor = Math.max(0, world.running.paidMinor - (amountMinor - creditMinor));
}

/** Money that is refunded without reversing its credit. That part of the time is free. */
function giveFree(world: World, amountMinor: number, creditMinor: number): void {
  world.outMinor += amountMinor;
  world.balanceMinor -= creditMinor;
  world.givenMinor -= amountMinor - creditMinor;
}

function dispute(world: World, { charge: index, part }: Reported, isHeard: boolean): void {
  const of = world.charges[index % Math.max(1, world.charges.length)];
  if (of?.disputed) return void reverseMore(world, of, of.disputed, Infinity);
  if (!of || of.amountMinor === 0) return;
  const outMinor = Math.ceil(((of.amountMinor - of.refundedMinor) * part) / 100);
  const creditMinor = Math.min(outMinor, creditLeft(of, world.balanceMinor));
  of.creditedMinor -= creditMinor;
  if (isHeard) world.running = undefined;
  const disputed = { outMinor, creditMinor };
  giveFree(world, outMinor, creditMinor);
  const loweredMinor = loseOwn(world, disputed, of, outMinor - creditMinor);
  loseUsed(world, disputed, Math.min(of.creditedMinor, outMinor - creditMinor - loweredMinor));
  of.disputed = disputed;
  world.debit?.disputed.push(of);
  if (!isHeard) return;
  // Only a purchase that waits for its money goes on.
  if (!world.debit?.first || world.debit.first.opensEarly) giveUp(world);
}

type Reported = Extract<Step, { do: 'dispute' | 'disputeRecorded' }>;

function win(world: World, index: number): void {
  const of = world.charges[index % Math.max(1, world.charges.length)];
  if (!of?.disputed) return;
  const { disputed } = of;
  of.creditedMinor += disputed.creditMinor;
  giveFree(world, -disputed.outMinor, -disputed.creditMinor);
  delete of.disputed;
  undoLosses(world, disputed);
}

function buy(world: World, { price, percent, isTrial, isYear }: Extract<Step, { do: 'buy' }>): void {
  if (world.running || world.debit) return;
  const of = { priceMinor: price, period: isYear ? 'year' : 'month' } as const;
  const { isDebit, opensEarly } = world;
  const dueMinor = payable(price, percent, world.currency);
  if (!isTrial && isDebit && submit(world, dueMinor, { ...of, opensEarly }))
    return void (opensEarly && (world.running = runFrom(world.atMs, of)));
  if (!isTrial) return void beginPeriod(world, of, dueMinor);
  for (const each of world.charges) each.isRunning = false;
  const endMs = world.atMs + 7 * 86_400_000;
  world.running = { ...of, ...unpaid, fromMs: world.atMs, startMs: world.atMs, endMs, isTrial };
}

function renew(world: World): void {
  const { running } = world;
  if (!running || world.debit) return;
  world.atMs = Math.max(world.atMs, running.endMs);
  if (world.isDebit && submit(world, running.priceMinor)) return void (world.running = runFrom(world.atMs, running));
  if (!beginPeriod(world, running, running.priceMinor)) end(world);
}

function take(world: World, step: Step): void {
  switch (step.do) {
    case 'buy':
      return buy(world, step);
    case 'switch':
      return switchPlan(world, step);
    case 'pass':
      if (world.running) world.atMs += Math.floor(((world.running.endMs - world.atMs) * step.part) / 100);
      return;
    case 'renew':
      return renew(world);
    case 'pause':
      // Resumed a week after the end of the paid time.
      if (world.running && !world.debit) world.atMs = Math.max(world.atMs, world.running.endMs) + 7 * 86_400_000;
      return renew(world);
    case 'cancel':
      if (step.atEnd && world.running) world.atMs = world.running.endMs;
      return world.running && end(world);
    case 'refund':
      return refund(world, step);
    case 'payBack':
      return payBack(world, step);
    case 'dispute':
    case 'disputeRecorded':
      return dispute(world, step, step.do === 'dispute');
    case 'win':
      return win(world, step.charge);
    case 'failPaidBack':
      return failPaidBack(world, step.refund);
    case 'card':
      world.isGood = step.isGood;
      return;
    case 'method':
      return void Object.assign(world, { isDebit: step.isDebit, opensEarly: step.opensEarly });
    case 'decide':
      world.atMs += 5 * 86_400_000;
      return decide(world, step.isPaid);
  }
}

/** The faults in the books of a customer. */
function faultsOf(world: World): string[] {
  const { inMinor, outMinor, balanceMinor, givenMinor, charges, debit, running, losses } = world;
  const setAsideMinor = debit?.takenMinor ?? 0;
  const broken = charges.filter(({ amountMinor, refundedMinor, creditedMinor }) => {
    return refundedMinor + creditedMinor > amountMinor || refundedMinor < 0 || creditedMinor < 0;
  });
  const disputes = charges.flatMap(({ disputed }) => (disputed ? [disputed] : []));
  const isTakenTwice = (of: Disputed) =>
    of.creditMinor + lostBy(world, of, true) + lostBy(world, of, false) > of.outMinor;
  const unpaidMinor = sumOf(losses.filter(isRunning), 'unpaidMinor');
  const isOverpaid = running !== undefined && running.paidMinor + unpaidMinor > running.priceOfTimeMinor;
  const faults: [boolean, string][] = [
    [inMinor - outMinor - balanceMinor - setAsideMinor !== givenMinor, 'the equation does not hold'],
    [givenMinor + Math.max(0, setAsideMinor) < 0, 'more went back than was paid'],
    [outMinor + Math.max(0, balanceMinor) > inMinor, 'the customer has more than it paid'],
    [broken.length > 0, 'a charge gave more than it took'],
    [disputes.some(isTakenTwice), 'a dispute took more than the bank did'],
    [isOverpaid, 'a period has paid more than its price'],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

const start = (currency: string): World => ({
  ...{ currency, atMs: Date.UTC(2026, 0, 31, 10), balanceMinor: 0, inMinor: 0, outMinor: 0, givenMinor: 0 },
  ...{ charges: [], losses: [], paidBack: [] },
  isGood: true,
  isDebit: false,
  opensEarly: false,
});

/** The books of a customer after the steps. They are correct after each step. */
function live(currency: string, steps: readonly Step[], method: Partial<World> = {}): World {
  const world = { ...start(currency), ...method };
  for (const step of steps) {
    take(world, step);
    expect(faultsOf(world)).toEqual([]);
  }
  return world;
}

const price = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 5_000_000 }));
const index = fc.nat({ max: 20 });
const percent = fc.constantFrom(0, 0, 10, 50, 100);
const part = fc.constantFrom(1, 50, 100);
/** What can happen between the agreement on a plan change and the change. */
const meanwhile: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('payBack' as const, 'disputeRecorded' as const), charge: index, part }),
  fc.record({ do: fc.constant('win' as const), charge: index }),
  fc.record({ do: fc.constant('failPaidBack' as const), refund: index }),
);
const planChange: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('switch' as const),
  price,
  isYear: fc.boolean(),
  mode: fc.option(fc.constantFrom(...switchModes), { nil: undefined }),
  meanwhile: fc.option(meanwhile, { nil: undefined }),
});
const pass: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('pass' as const),
  part: fc.integer({ min: 0, max: 100 }),
});
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('buy' as const), price, percent, isTrial: fc.boolean(), isYear: fc.boolean() }),
  planChange,
  pass,
  { weight: 4, arbitrary: meanwhile },
  fc.record({ do: fc.constant('renew' as const) }),
  fc.record({ do: fc.constant('pause' as const) }),
  fc.record({ do: fc.constant('cancel' as const), atEnd: fc.boolean() }),
  fc.record({ do: fc.constant('refund' as const), charge: index, part }),
  fc.record({ do: fc.constant('dispute' as const), charge: index, part }),
  fc.record({ do: fc.constant('card' as const), isGood: fc.boolean() }),
  fc.record({ do: fc.constant('method' as const), isDebit: fc.boolean(), opensEarly: fc.boolean() }),
  fc.record({ do: fc.constant('decide' as const), isPaid: fc.boolean() }),
);
const anySteps = fc.array(anyStep, { minLength: 3, maxLength: 30 });
/** One period, whose plan changes while money of it goes back and comes again. */
const changes = fc.array(fc.oneof(planChange, pass, meanwhile), { minLength: 3, maxLength: 12 });

const sequences = size({ usual: 1_000, full: 100_000 });

/** Random lives. `isDebit`: the customer begins with direct debits, which are decided at a later step. */
function checkLives(steps: fc.Arbitrary<Step[]>, isDebit: boolean): void {
  const currency = fc.constantFrom('EUR', 'JPY', 'KWD');
  const life = fc.property(currency, fc.boolean(), price, steps, (of, opensEarly, first, others) => {
    live(of, [{ do: 'buy', price: first, percent: 0, isTrial: false, isYear: true }, ...others], {
      isDebit,
      opensEarly,
    });
  });
  fc.assert(life, { numRuns: sequences });
}

test('money in − money out − credit + debt equals the price of the time given, after every step', () => {
  checkLives(anySteps, false);
});

test('the same with direct debits that succeed or fail days later, with access at submission or with the money', () => {
  checkLives(anySteps, true);
});

test('the same in one period whose plan changes while its money goes back and comes again', () => {
  checkLives(changes, false);
});

const year: Step = { do: 'buy', price: 10_000, percent: 0, isTrial: false, isYear: true };
const toMonth: Step = { do: 'switch', price: 100, isYear: false, mode: 'now' };
const toYear: Step = { do: 'switch', price: 10_000, isYear: true, mode: 'now' };
const whole = (charge: number): Step => ({ do: 'refund', charge, part: 100 });
const cancel: Step = { do: 'cancel', atEnd: false };
const debit: Step = { do: 'method', isDebit: true, opensEarly: false };
const debitAtOnce: Step = { do: 'method', isDebit: true, opensEarly: true };
const toFree: Step = { do: 'switch', price: 0, isYear: false, mode: 'now' };
const paid: Step = { do: 'decide', isPaid: true };
const fails: Step = { do: 'decide', isPaid: false };

test.each<[string, Step[], { inMinor: number; outMinor: number; balanceMinor: number }]>([
  [
    'to a month and back, again and again, is one year',
    [year, toMonth, toYear, toMonth, toYear],
    { inMinor: 10_000, outMinor: 0, balanceMinor: 0 },
  ],
  ['a refund takes the credit back', [year, toMonth, whole(0)], { inMinor: 10_000, outMinor: 10_000, balanceMinor: 0 }],
  [
    'of a used credit nothing goes back',
    [year, toMonth, toYear, whole(0)],
    { inMinor: 10_000, outMinor: 100, balanceMinor: 0 },
  ],
  [
    'a debt is charged at the end',
    [
      { ...year, price: 100, isYear: false },
      { do: 'switch', price: 10_000, isYear: false, mode: 'next_invoice' },
      cancel,
    ],
    { inMinor: 10_000, outMinor: 0, balanceMinor: 0 },
  ],
  [
    'a debt that the card does not pay is charged with the next purchase',
    [
      { ...year, price: 100, isYear: false },
      { do: 'switch', price: 10_000, isYear: false, mode: 'next_invoice' },
      { do: 'card', isGood: false },
      cancel,
      { do: 'card', isGood: true },
      { ...year, price: 100 },
    ],
    { inMinor: 10_100, outMinor: 0, balanceMinor: 0 },
  ],
  [
    'a dispute takes the credit back, and gives it again when it is won',
    [year, toMonth, { do: 'dispute', charge: 0, part: 100 }, { do: 'win', charge: 0 }],
    { inMinor: 10_000, outMinor: 0, balanceMinor: 9_900 },
  ],
  [
    'a debit that fails returns the credit that it used',
    [year, toMonth, cancel, debit, { ...year, price: 12_000 }, fails],
    { inMinor: 10_000, outMinor: 0, balanceMinor: 9_900 },
  ],
  [
    'a debit that fails returns no credit of a payment that was disputed meanwhile',
    [year, toMonth, cancel, debit, { ...year, price: 12_000 }, { do: 'dispute', charge: 0, part: 100 }, fails],
    { inMinor: 10_000, outMinor: 10_000, balanceMinor: 0 },
  ],
  [
    'a debit that fails returns no credit of a payment that was refunded at the provider meanwhile',
    [
      ...[year, toMonth, cancel, debit, { ...year, price: 12_000 }],
      ...([{ do: 'payBack', charge: 0, part: 100 }, fails] satisfies Step[]),
    ],
    { inMinor: 10_000, outMinor: 10_000, balanceMinor: 0 },
  ],
  [
    'a debit that fails returns the credit that a refund of a part at the provider has left',
    [
      ...[year, toMonth, cancel, debit, { ...year, price: 12_000 }],
      ...([{ do: 'payBack', charge: 0, part: 50 }, fails] satisfies Step[]),
    ],
    { inMinor: 10_000, outMinor: 5_000, balanceMinor: 5_000 },
  ],
  [
    'a dispute that is won returns the credit that a failed debit had used',
    [
      ...[year, toMonth, cancel, debit, { ...year, price: 12_000 }],
      ...([{ do: 'dispute', charge: 0, part: 100 }, fails, { do: 'win', charge: 0 }] satisfies Step[]),
    ],
    { inMinor: 10_000, outMinor: 0, balanceMinor: 9_900 },
  ],
  [
    'a plan change gives no credit for money that was disputed, before the access ends',
    [year, { do: 'disputeRecorded', charge: 0, part: 100 }, toMonth],
    { inMinor: 10_100, outMinor: 10_000, balanceMinor: 0 },
  ],
  [
    'a credit belongs to no disputed payment, so that a refund of the other one takes it back',
    [
      { ...year, price: 50 },
      { ...toMonth, price: 100 },
      { do: 'disputeRecorded', charge: 1, part: 100 },
      toFree,
      whole(0),
    ],
    { inMinor: 100, outMinor: 100, balanceMinor: 0 },
  ],
  [
    'a plan change gives no credit for a credit that a refund at the provider has paid out',
    [{ ...year, price: 20_000 }, toMonth, { do: 'renew' }, { do: 'payBack', charge: 0, part: 100 }, toFree],
    { inMinor: 20_000, outMinor: 20_000, balanceMinor: 0 },
  ],
  [
    'a debit that succeeds after such a refund has paid less of its period',
    [
      ...[{ ...year, price: 10_000 }, toMonth, cancel, debit, { ...year, price: 12_000 }],
      ...([{ do: 'payBack', charge: 0, part: 100 }, paid, toFree] satisfies Step[]),
    ],
    { inMinor: 12_100, outMinor: 10_000, balanceMinor: 2_100 },
  ],
  [
    'a dispute of a part takes back this part of the credit, and no more when it is reported again',
    [year, toMonth, { do: 'dispute', charge: 0, part: 10 }, { do: 'dispute', charge: 0, part: 10 }],
    { inMinor: 10_000, outMinor: 1_000, balanceMinor: 8_900 },
  ],
  [
    'a dispute that is reported again takes no credit that a period has lost already',
    [
      ...[year, toMonth, cancel, { ...year, price: 12_000 }],
      ...([{ do: 'disputeRecorded', charge: 0, part: 100 }, toFree] satisfies Step[]),
      { do: 'disputeRecorded', charge: 0, part: 100 },
    ],
    { inMinor: 12_100, outMinor: 10_000, balanceMinor: 2_100 },
  ],
  [
    'a dispute that is won after a plan change gives the credit of the change',
    [year, { do: 'disputeRecorded', charge: 0, part: 100 }, toMonth, { do: 'win', charge: 0 }],
    { inMinor: 10_100, outMinor: 0, balanceMinor: 10_000 },
  ],
  [
    'after half of the time, for the other half',
    [year, { do: 'pass', part: 50 }, { do: 'disputeRecorded', charge: 0, part: 100 }, toFree, { do: 'win', charge: 0 }],
    { inMinor: 10_000, outMinor: 0, balanceMinor: 5_000 },
  ],
  [
    'a refund that fails after a plan change gives the credit of the change',
    [year, { do: 'payBack', charge: 0, part: 60 }, toMonth, { do: 'failPaidBack', refund: 0 }],
    { inMinor: 10_000, outMinor: 0, balanceMinor: 9_900 },
  ],
  [
    'the money of a debit that was given up goes back',
    [debitAtOnce, year, cancel, { do: 'decide', isPaid: true }],
    { inMinor: 10_000, outMinor: 10_000, balanceMinor: 0 },
  ],
])('%s', (_, steps, books) => {
  expect(live('EUR', steps)).toMatchObject(books);
});

test('in steps of 10, a small loss keeps its part of a credit that is a whole step smaller', () => {
  const loss: Step = { do: 'payBack', charge: 0, part: 1 };
  const steps: Step[] = [{ ...year, price: 600 }, loss, { do: 'pass', part: 43 }, toFree];
  expect(live('KWD', steps)).toMatchObject({ outMinor: 6, balanceMinor: 340 });
  const undone: Step = { do: 'failPaidBack', refund: 0 };
  expect(live('KWD', [...steps, undone])).toMatchObject({ outMinor: 0, balanceMinor: 346 });
});
