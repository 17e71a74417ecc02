import { isLinearizable, type ObjectCall, type SequentialModel } from './linearizability';
import { accessCodeModel, balanceModel, voucherModel } from './models';

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
