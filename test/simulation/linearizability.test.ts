import { isLinearizable, type ObjectCall, type SequentialModel } from './linearizability';
import { accessCodeModel, balanceModel, subscriptionModel, voucherModel, type SubscriptionCall } from './models';

const call = <Input>(from: number, to: number, input: Input): ObjectCall<Input> => ({
  ...{ from, to, input },
  isOptional: false,
  lines: [],
});
const unheard = <Input>(from: number, input: Input): ObjectCall<Input> => ({
  ...call(from, Infinity, input),
  isOptional: true,
});
const take = (name: string, isTaken: boolean) => ({ what: 'take' as const, name, isTaken });
const enter = (device: string, isIn?: boolean) => ({
  what: 'enter' as const,
  device,
  ...(isIn !== undefined && { isIn }),
});
const leave = (device: string) => ({ what: 'leave' as const, device });
const adjust = (amountMinor: number) => ({ what: 'adjust' as const, amountMinor });
const read = (balanceMinor: number) => ({ what: 'read' as const, balanceMinor });

interface Case<Input> {
  title: string;
  calls: ObjectCall<Input>[];
}

function itFinds<State, Input>(
  name: string,
  model: SequentialModel<State, Input>,
  { sound, broken }: { sound: Case<NoInfer<Input>>[]; broken: Case<NoInfer<Input>>[] },
) {
  const rows = [
    ...sound.map((one) => ({ ...one, isSound: true })),
    ...broken.map((one) => ({ ...one, isSound: false })),
  ];
  test.each(rows)(`${name}, linearizable $isSound: $title`, ({ calls, isSound }) =>
    expect(isLinearizable(calls, model)).toBe(isSound),
  );
}

itFinds('a voucher with one use', voucherModel(1), {
  sound: [
    { title: 'no call', calls: [] },
    { title: 'one of two at the same time', calls: [call(1, 4, take('A', true)), call(2, 3, take('B', false))] },
    {
      title: 'a use that is given back is used again',
      calls: [
        call(1, 2, take('A', true)),
        unheard(1, { what: 'release', name: 'A' }),
        call(3, 4, take('B', true)),
        call(5, 6, { what: 'end', uses: 1 }),
      ],
    },
    {
      title: 'a second request for an undecided purchase is answered with its name',
      calls: [call(1, 2, take('A', true)), call(3, 4, take('A', true)), call(5, 6, { what: 'end', uses: 1 })],
    },
    {
      title: 'a request without an answer has used it',
      calls: [unheard(1, { what: 'take', name: 'A' }), call(2, 3, take('B', false))],
    },
  ],
  broken: [
    { title: 'both of two', calls: [call(1, 4, take('A', true)), call(2, 3, take('B', true))] },
    { title: 'a refusal before the use', calls: [call(1, 2, take('B', false)), call(2, 3, take('A', true))] },
    { title: 'a refusal, and no use', calls: [call(1, 2, take('A', false))] },
    {
      title: 'a request without an answer uses it only after the refusal',
      calls: [call(1, 2, take('B', false)), unheard(3, { what: 'take', name: 'A' })],
    },
    {
      title: 'a use that nobody knows at the end',
      calls: [call(1, 2, take('A', true)), call(3, 4, { what: 'end', uses: 2 })],
    },
    {
      title: 'a use is given back before it is taken',
      calls: [unheard(1, { what: 'release', name: 'B' }), call(1, 2, take('A', true)), call(3, 4, take('C', true))],
    },
  ],
});

itFinds('an access code for two devices', accessCodeModel(2), {
  sound: [
    { title: 'the same device twice', calls: [call(1, 2, enter('A', true)), call(3, 4, enter('A', true))] },
    {
      title: 'a third device after another has left, at the same time',
      calls: [
        call(1, 2, enter('A', true)),
        call(1, 3, enter('B', true)),
        call(4, 8, leave('A')),
        call(5, 6, enter('C', true)),
        call(9, 10, { what: 'end', devices: ['C', 'B'] }),
      ],
    },
    {
      title: 'a device without an answer has a place',
      calls: [call(1, 2, enter('A', true)), unheard(3, enter('B')), call(4, 5, enter('C', false))],
    },
  ],
  broken: [
    {
      title: 'three devices',
      calls: [call(1, 2, enter('A', true)), call(1, 3, enter('B', true)), call(4, 5, enter('C', true))],
    },
    {
      title: 'a refusal after a device has left',
      calls: [
        call(1, 2, enter('A', true)),
        call(1, 3, enter('B', true)),
        call(4, 5, leave('A')),
        call(6, 7, enter('C', false)),
      ],
    },
    {
      title: 'a device that has left is there at the end',
      calls: [call(1, 2, enter('A', true)), call(3, 4, leave('A')), call(5, 6, { what: 'end', devices: ['A'] })],
    },
  ],
});

itFinds('a balance', balanceModel, {
  sound: [
    { title: 'a read at the time of a change, before it', calls: [call(1, 4, adjust(500)), call(2, 3, read(0))] },
    { title: 'a read at the time of a change, after it', calls: [call(1, 4, adjust(500)), call(2, 3, read(500))] },
    {
      title: 'a change without an answer',
      calls: [unheard(1, adjust(500)), call(2, 3, read(0)), call(4, 5, read(500))],
    },
  ],
  broken: [
    { title: 'a read does not see an earlier change', calls: [call(1, 2, adjust(500)), call(3, 4, read(0))] },
    {
      title: 'a change is seen, and then not',
      calls: [call(1, 9, adjust(500)), call(2, 3, read(500)), call(4, 5, read(0))],
    },
    { title: 'a change counts twice', calls: [call(1, 2, adjust(500)), call(3, 4, read(1_000))] },
  ],
});

test('a search that is too large is given up', () => {
  const many = Array.from({ length: 40 }, (_, index) => unheard(1, adjust(2 ** index)));
  expect(isLinearizable([...many, call(2, 3, read(-1))], balanceModel)).toBeUndefined();
});

const sees = (view: Partial<Extract<SubscriptionCall, { what: 'read' }>['view']>): SubscriptionCall => ({
  what: 'read',
  view: { isOver: false, renews: true, fee: 1, pending: 0, ...view },
});
const cancel: SubscriptionCall = { what: 'cancel' };
const resume: SubscriptionCall = { what: 'resume' };
const change: SubscriptionCall = { what: 'switch', fee: 2 };

itFinds('a subscription that goes on', subscriptionModel(1, false), {
  sound: [
    { title: 'a read of the plan that was bought', calls: [call(1, 2, sees({}))] },
    { title: 'a read during a cancellation sees it', calls: [call(1, 4, cancel), call(2, 3, sees({ renews: false }))] },
    { title: 'a read during a cancellation does not', calls: [call(1, 4, cancel), call(2, 3, sees({}))] },
    {
      title: 'two cancellations',
      calls: [call(1, 2, cancel), call(3, 4, cancel), call(5, 6, sees({ renews: false }))],
    },
    {
      title: 'a cancellation ends the wait for another plan',
      calls: [
        call(1, 2, change),
        call(3, 4, sees({ pending: 2 })),
        call(5, 6, cancel),
        call(7, 8, sees({ renews: false })),
      ],
    },
    {
      title: 'a cancellation without an answer comes after a resumption',
      calls: [call(1, 2, cancel), unheard(3, cancel), call(4, 5, resume), call(6, 7, sees({ renews: false }))],
    },
  ],
  broken: [
    { title: 'a cancellation is forgotten', calls: [call(1, 2, cancel), call(3, 4, sees({}))] },
    { title: 'a resumption of what renews', calls: [call(1, 2, resume)] },
    { title: 'a change of the plan is forgotten', calls: [call(1, 2, change), call(3, 4, sees({}))] },
    {
      title: 'an older plan comes back',
      calls: [call(1, 2, change), call(3, 4, sees({ fee: 2 })), call(5, 6, sees({}))],
    },
    {
      title: 'a cancellation is seen, and then no more',
      calls: [unheard(1, cancel), call(2, 3, sees({ renews: false })), call(4, 5, sees({}))],
    },
    { title: 'it ends', calls: [call(1, 2, sees({ isOver: true }))] },
  ],
});

itFinds('a subscription that ends', subscriptionModel(1, true), {
  sound: [{ title: 'at any time', calls: [call(1, 2, sees({})), call(3, 4, sees({ isOver: true }))] }],
  broken: [{ title: 'and lives again', calls: [call(1, 2, sees({ isOver: true })), call(3, 4, sees({}))] }],
});
