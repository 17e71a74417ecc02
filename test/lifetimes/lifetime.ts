import { refusalOf } from '../../src/billing/guards';
import { type ChangeAnswer, type ChangeRequest } from '../../workflows/messages';
import { changeUpdates } from '../../workflows/messages/changes';
import { Random } from './random';
import { dayMs, drawMood, drawRequest, drawScenario, type Act, type Scenario } from './scenario';
import { simulateActivities, type SimulatedActivities } from './simulatedActivities';
import { SimulatedCharges } from './simulatedCharges';
import { SimulatedProvider } from './simulatedProvider';
import { RowHistory, toSnapshot, type Row } from './simulatedRow';
import { executionMs, SimulatedTemporal, type ActivityFault, type Workflow } from './simulatedTemporal';
import { useEngine } from './workflowModule';

/** A request of the payer or the merchant, and the answers that came. */
export interface SentRequest {
  input: ChangeRequest;
  sentMs: number;
  answers: { run: number; answer: ChangeAnswer | { refused: string } }[];
  isPromised: boolean;
}

/** One subscription from its purchase on, driven by its scenario. */
export class Lifetime {
  readonly temporal: SimulatedTemporal;
  readonly provider: SimulatedProvider;
  readonly charges: SimulatedCharges;
  readonly history: RowHistory;
  readonly requests: SentRequest[] = [];
  readonly scenario: Scenario;
  /** When the account was erased. */
  erasedMs: number | undefined;
  readonly lossesMs: number[] = [];
  readonly revocations: { id: string; sentMs: number }[] = [];
  private readonly random: Random;
  private readonly activities: SimulatedActivities;
  private readonly clock = { aheadMs: 0, jumpedToMs: 0 };
  private readonly cardMoods: Scenario['moods'] = [];
  private tryNo = 1;
  private areFaultsOver = false;

  constructor(
    readonly seed: number,
    private readonly workflow: Workflow<unknown>,
  ) {
    this.random = new Random(seed);
    const scenario = drawScenario(this.random);
    this.scenario = scenario;
    const { random } = this;
    this.temporal = new SimulatedTemporal({
      startMs: scenario.startMs,
      execute: (name, args, tryNo) => this.execute(name, args, tryNo),
      faultOf: (isLocal, nowMs) => this.faultOf(isLocal, nowMs),
      onTaskLost: () => {
        this.interrupt();
        this.temporal.at(this.temporal.nowMs + executionMs, () => this.sweepWhenLate());
      },
      isUpdateLost: () => this.random.chance(0.5),
    });
    const nowMs = () => this.temporal.nowMs;
    const merchantNowMs = () => this.merchantNowMs();
    this.history = new RowHistory(this.newRow(), nowMs);
    const { row } = this.history;
    this.provider = new SimulatedProvider({
      ...{ random, faults: scenario.providerFaults, nowMs, merchantNowMs },
      mood: () => this.moodNow(),
      isDebit: () => scenario.isDebit,
      notify: (afterMs) => this.temporal.at(nowMs() + afterMs, () => this.send('paymentAnswered')),
    });
    this.charges = new SimulatedCharges({
      ...{ currency: scenario.currency, provider: this.provider, nowMs, merchantNowMs },
      ...{ opensAccess: scenario.opensAccess, isDebit: () => scenario.isDebit },
      firstMinor: () => row.plan.priceMinor + scenario.setupFeeMinor,
      isRenewal: () => row.state !== 'incomplete',
      isErased: () => this.erasedMs !== undefined,
    });
    this.activities = simulateActivities(this.history, this.charges, {
      ...{ plans: scenario.plans, setupFeeMinor: scenario.setupFeeMinor, currency: scenario.currency },
      ...{ isDebit: scenario.isDebit, clock: () => this.clock, merchantNowMs },
      isErased: () => this.erasedMs !== undefined,
      tryNo: () => this.tryNo,
    });
  }

  /** Lets the lifetime happen. Throws what the workflow's code throws. */
  async live(): Promise<void> {
    const { temporal, scenario } = this;
    useEngine(temporal);
    this.ensureRun();
    for (const act of scenario.acts) temporal.at(act.atMs, () => this.perform(act));
    await temporal.passTime(scenario.endMs, () => false);
    // Without faults everything that is in progress comes to its end.
    this.areFaultsOver = true;
    temporal.nowMs = Math.max(temporal.nowMs, scenario.endMs);
    this.ensureRun();
    temporal.at(scenario.endMs + settleMs, () => undefined);
    await temporal.passTime(scenario.endMs + settleMs, () => false);
    await temporal.passTime(Infinity, () => temporal.isQuiet);
  }

  merchantNowMs(): number {
    return this.temporal.nowMs + this.clock.aheadMs;
  }

  private newRow(): Row {
    const { plans, graceDays, retryDays, hasCard } = this.scenario;
    const [plan] = plans;
    if (!plan) throw new Error('there is no plan');
    return {
      ...{ id: this.random.whole(1, 1_000_000), version: 0, state: 'incomplete', plan, hasCard, autoRenew: hasCard },
      ...{ cycle: 0, attempt: 1, anchorMs: 0, periodNo: 1, periodStartMs: 0, periodEndMs: 0 },
      ...{ pausesAtPeriodEnd: false, dueMinor: 0, graceDays, retryDays, reminded: [] },
      ...{ paidCharges: 0, paidMinor: 0, paidFromMs: 0 },
    };
  }

  /** Starts a run from the row, unless one is running or nothing is left to do. */
  private ensureRun(): void {
    if (this.temporal.isRunning || this.history.isOver) return;
    this.temporal.start(this.workflow, { subscriptionId: this.history.row.id });
  }

  private perform(act: Act): void {
    switch (act.what) {
      case 'request':
        return this.request(act);
      case 'advance':
        return this.advance(act.byMs);
      case 'lose':
        return this.lose();
      case 'erase':
        this.erasedMs ??= this.temporal.nowMs;
        return this.send('accountErased');
      case 'revoke':
        this.revocations.push({ id: `revoke:${act.atMs}`, sentMs: this.temporal.nowMs });
        return this.send('revoked', { id: `revoke:${act.atMs}`, atMs: this.merchantNowMs(), reason: 'refund' });
      case 'restore':
        return this.send('restored', { id: `restore:${act.atMs}`, atMs: this.merchantNowMs() });
      case 'return':
        return this.returnDebit(act.atMs);
    }
  }

  /** A signal, which starts a run if none is running. */
  private send(name: string, ...args: unknown[]): void {
    this.ensureRun();
    this.temporal.signal(name, ...args);
  }

  private returnDebit(id: number): void {
    const charge = this.charges.findPaid(this.history.row.cycle);
    if (!charge || charge.amountMinor === 0) return;
    const { cycle } = charge;
    this.send('debitReturned', { id: `return:${id}`, atMs: this.merchantNowMs(), cycle });
  }

  private request({ change, isPromised, isMerchant, repeats, atMs }: Extract<Act, { what: 'request' }>): void {
    const requestId = `${change.kind}:${atMs}`;
    const audited = isMerchant ? { audited: `subscription.${change.kind}` as const } : {};
    const input: ChangeRequest = {
      ...{ id: requestId, atMs: this.merchantNowMs(), aheadMs: this.clock.aheadMs },
      ...{ actor: { accountId: 1, requestId, ...audited }, ...change },
    };
    if (change.kind === 'useCard') this.cardMoods.push({ fromMs: this.merchantNowMs(), mood: drawMood(this.random) });
    const sent: SentRequest = { input, sentMs: this.temporal.nowMs, answers: [], isPromised };
    this.requests.push(sent);
    if (isPromised) this.history.store(input);
    // The message of a stored change may come much later.
    const sentMs = this.temporal.nowMs + (isPromised && this.random.chance(0.5) ? this.random.whole(0, 5 * dayMs) : 0);
    for (let count = 0; count <= repeats; count += 1)
      this.temporal.at(sentMs + count * this.random.whole(0, 600_000), () => this.deliver(sent));
  }

  private deliver(sent: SentRequest, givesUpMs = this.temporal.nowMs + 3_000): void {
    const { temporal, history } = this;
    this.ensureRun();
    if (sent.isPromised) return temporal.signal('changeRequested', sent.input);
    const run = temporal.runs;
    void temporal.update<ChangeAnswer>(changeUpdates[sent.input.kind], sent.input).then((answer) => {
      if ('lost' in answer) return;
      const isKnown = 'result' in answer ? isDecided(answer.result) : isRefused(sent.input, answer.details, history);
      if (isKnown) sent.answers.push({ run, answer: 'result' in answer ? answer.result : answer });
      else temporal.at(temporal.nowMs + 500, () => this.askAgain(sent, givesUpMs));
    });
  }

  /** As the API does: the run compares itself with its row. If that takes long, the request is stored. */
  private askAgain(sent: SentRequest, givesUpMs: number): void {
    if (this.temporal.nowMs < givesUpMs) this.temporal.signal('checkRow');
    else {
      sent.isPromised = true;
      this.history.store(sent.input);
    }
    this.deliver(sent, givesUpMs);
  }

  /** A request or a notice often comes while no worker has the run. */
  private interrupt(): void {
    const { random, temporal } = this;
    const atMs = temporal.nowMs + random.whole(0, 9_000);
    if (random.chance(0.6)) temporal.at(atMs, () => this.perform(drawRequest(random, atMs)));
    if (random.chance(0.1)) temporal.at(atMs, () => this.perform({ atMs, what: random.pick(['revoke', 'restore']) }));
  }

  private advance(byMs: number): void {
    this.clock.aheadMs += byMs;
    this.clock.jumpedToMs = this.merchantNowMs();
    this.send('clockMoved', { aheadMs: this.clock.aheadMs });
    if (this.temporal.lostTasks > 0) this.sweepWhenLate();
  }

  /** The sweep tells the run to compare itself with its row once the row is late. The run may have lost a step. */
  private sweepWhenLate(): void {
    const dueMs = this.history.nextDueMs();
    if (!this.history.isBegun || dueMs === undefined) return;
    const { version } = this.history.row;
    const lateMs = Math.max(this.temporal.nowMs, dueMs - this.clock.aheadMs) + lateAfterMs;
    this.temporal.at(lateMs, () => {
      if (this.history.row.version === version && !this.history.isOver) this.send('checkRow');
    });
  }

  /** Temporal's store is lost. The sweep starts a new run when the row is due; a message starts it earlier. */
  private lose(): void {
    if (!this.temporal.isRunning) return;
    this.temporal.lose();
    this.lossesMs.push(this.temporal.nowMs);
    const dueMs = this.history.nextDueMs();
    if (dueMs === undefined) return;
    const inRealTimeMs = Math.max(this.temporal.nowMs, dueMs - this.clock.aheadMs);
    this.temporal.at(inRealTimeMs + this.random.whole(60_000, 900_000), () => this.ensureRun());
  }

  private execute(name: string, args: unknown[], tryNo: number): unknown {
    this.tryNo = tryNo;
    const activity = this.activities[name as keyof SimulatedActivities] as
      ((...args: unknown[]) => unknown) | undefined;
    if (!activity) throw new Error(`there is no simulated activity ${name}`);
    return activity(...args);
  }

  private faultOf(isLocal: boolean, nowMs: number): ActivityFault {
    const { random } = this;
    const outage = this.scenario.workerOutages.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
    const workMs = isLocal ? random.whole(1, 40) : random.whole(20, random.chance(0.05) ? 20_000 : 800);
    if (this.areFaultsOver) return { delayMs: workMs, isRepeated: false };
    if (isLocal && !outage && random.chance(0.03))
      return { delayMs: random.whole(1, 30_000), isRepeated: false, isTaskLost: true };
    return { delayMs: workMs + (outage ? outage.toMs - nowMs : 0), isRepeated: random.chance(0.03) };
  }

  private moodNow() {
    const atMs = this.merchantNowMs();
    const moods = [...this.scenario.moods, ...this.cardMoods].filter(({ fromMs }) => fromMs <= atMs);
    return moods.sort((a, b) => a.fromMs - b.fromMs).at(-1)?.mood ?? 'pays';
  }
}

/** A refusal by another version than that of the row counts only if the row does not allow the change either. */
const isRefused = (change: ChangeRequest, [version]: readonly unknown[], { row, isBegun }: RowHistory): boolean =>
  version === row.version || (isBegun && refusalOf(change, toSnapshot(row)) !== undefined);

const isDecided = (answer: ChangeAnswer) => answer.done || answer.why !== 'again';

/** The sweep checks a row at the latest five minutes after the row has been due for ten. */
const lateAfterMs = 15 * 60_000;

/** Longer than a fault of the provider that begins at the end, together with the longest wait for an outcome after it. */
const settleMs = 3 * dayMs;
