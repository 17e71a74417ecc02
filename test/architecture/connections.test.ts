import '../support/oneConnection';
import { examplesOf } from '../support/examples';
import { faultOf, generatedRoutes, naturalRole, sendExample } from '../support/generated';
import { startApp, type TestApp } from '../support/startApp';
import { createWorld, type World } from '../support/world';
import { callerFor } from '../support/operators';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app);
});

afterAll(() => app.stop());

// If as many requests as there are connections each wait for a second one, all requests answer 503.
describe('2xx: no request needs a second database connection while it holds one', () => {
  test.each(generatedRoutes)('%s', async (name, route) => {
    for (const example of examplesOf(name)) {
      const caller = await callerFor(naturalRole(route), world, example);
      const request = await example.request(world, caller);
      const reply = await sendExample(app, route, request, caller.token);
      expect(faultOf(route, reply)).toBeUndefined();
      expect(reply.status).toBe(example.answers ?? route.endpoint.status);
    }
  });
});
