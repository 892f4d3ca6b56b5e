import { vi } from 'vitest';
import type { NodeClient } from '../../src/cluster/node-client.ts';
import { NodePool } from '../../src/control-plane/cluster-context.ts';

/** Other calls of nodes for the control plane while some work runs. */
export async function whileNodes<T>(
  calls: (node: NodeClient) => Partial<NodeClient>,
  work: () => Promise<T>,
): Promise<T> {
  const { at } = NodePool.prototype;
  const spy = vi.spyOn(NodePool.prototype, 'at').mockImplementation(function (
    this: NodePool,
    address,
  ) {
    const node = at.call(this, address);
    return { ...callsOf(node), ...calls(node) };
  });
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

const callsOf = (node: NodeClient): NodeClient => ({
  address: node.address,
  state: (call) => node.state(call),
  read: (...args) => node.read(...args),
  removeIndex: (...args) => node.removeIndex(...args),
  service: (epoch) => node.service(epoch),
  close: () => node.close(),
});
