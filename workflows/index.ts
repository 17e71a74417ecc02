export { eraseAccount } from './eraseAccount';
export { exportAccount } from './exportAccount';
export { payment } from './payment';
export { reconcile } from './reconcile';
export { refund } from './refund';
export { subscription } from './subscription';
