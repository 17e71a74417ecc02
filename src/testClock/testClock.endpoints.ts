import { merchant } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ClockBody, ClockResponse } from './testClock.schemas';
import * as testClock from './testClock';

export const testClockEndpoints = {
  getTestClock: endpoint({
    method: 'get',
    path: '/test-clock',
    summary: 'The merchant’s time; test environment only',
    auth: merchant('settings:write'),
    status: 200,
    response: ClockResponse,
    errors: ['not_found'],
    handler: ({ caller }) => testClock.getTestClock(caller),
  }),
  moveTestClock: endpoint({
    method: 'post',
    path: '/test-clock',
    summary: 'Move the merchant’s time forward; its subscriptions take the steps that are due; test environment only',
    auth: merchant('settings:write'),
    body: ClockBody,
    status: 200,
    response: ClockResponse,
    errors: ['missing_parameter', 'clock_goes_forward', 'not_found'],
    handler: ({ caller, body }) => testClock.moveTestClock(caller, body),
  }),
};
