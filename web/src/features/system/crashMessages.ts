import { catalogue } from '@/i18n';
import type { Finding } from './queries';

export const crashMessages = catalogue(
  {
    title: 'Possible losses in a crash',
    count: '{n} setting | {n} settings',
    what: 'In the database: acknowledged writes. In Redis: accepted purchases that are not orders yet; they then appear as rejected.',
    nothingFound: 'Nothing',
    nothingFoundHint: 'All settings satisfy the promises.',
    setting: 'Setting',
    is: 'Current value',
    process: 'Engine crashes',
    machine: 'Machine crashes',
    failover: 'Failover',
    memory: 'Memory full',
    todo: 'Action',
    database: 'Database',
    redis: 'Redis',
    node: 'node {n}',
    level_ok: 'OK',
    level_risk: 'Risk',
    level_unknown: 'Not readable',
    level_broken: 'Not working',
    extent_nothing: 'nothing',
    extent_moments: 'the last moments',
    extent_second: 'about one second',
    extent_half_minute: 'up to about 30 seconds',
    extent_since_snapshot: 'all data since the last snapshot',
    extent_everything: 'all data',
    extent_evicted_keys: 'any key',
    extent_held_locks: 'locks, stored replies',
    extent_torn_pages: 'the file may be damaged',
    extent_unknown: 'unknown',
    set: 'Set it to {want}.',
    ask: 'Ask your provider.',
    see: 'Check why it does not respond.',
    writes: 'Enable writes.',
    room: 'Free disk space.',
    grow: 'Raise maxmemory.',
    synchronise: 'Synchronise the clocks (NTP).',
    bound: 'Limit it with min-replicas-to-write.',
    semiSync: 'Replicate semi-synchronously (AFTER_SYNC).',
    back: 'Restore its replicas.',
    majority: 'Restore the majority of its cluster.',
    third: 'Add a third server, or an arbitrator (garbd).',
    oneWriter: 'Let all instances write to one server. Several writers violate no promise, but conflicts cost time.',
    oneServer: 'Route all connections to one server.',
    session: 'Connect to the server directly, or configure the proxy to keep session settings.',
    convert: 'Convert the tables to {want}.',
    untried: 'The service was never tested on it: see docs/engines.md.',
    look: 'See admin doctor.',
    memoryOf: 'Redis{node} uses {used} of {limit} MB',
    memoryOpen: 'Redis{node} uses {used} MB, without a limit',
    evicted: '{n} key evicted | {n} keys evicted',
    clock: '{engine}: clock {skew} s (± {error} ms)',
  },
  {
    title: '崩溃时可能的损失',
    count: '{n} 项设置',
    what: '数据库：已确认的写入。Redis：已受理但尚未成为订单的购买，丢失后显示为已拒绝。',
    nothingFound: '没有',
    nothingFoundHint: '所有设置都符合承诺的要求。',
    setting: '设置',
    is: '当前值',
    process: '引擎崩溃',
    machine: '机器崩溃',
    failover: '故障切换',
    memory: '内存已满',
    todo: '应对',
    database: '数据库',
    redis: 'Redis',
    node: '节点 {n}',
    level_ok: '正常',
    level_risk: '有风险',
    level_unknown: '无法读取',
    level_broken: '异常',
    extent_nothing: '无',
    extent_moments: '最近片刻',
    extent_second: '约 1 秒',
    extent_half_minute: '最多约 30 秒',
    extent_since_snapshot: '上次快照以来的全部',
    extent_everything: '全部',
    extent_evicted_keys: '任意键',
    extent_held_locks: '锁、已保存的响应',
    extent_torn_pages: '文件可能损坏',
    extent_unknown: '未知',
    set: '设为 {want}。',
    ask: '请询问服务商。',
    see: '请检查它为何没有响应。',
    writes: '启用写入。',
    room: '释放磁盘空间。',
    grow: '提高 maxmemory。',
    synchronise: '同步时钟（NTP）。',
    bound: '用 min-replicas-to-write 加以限制。',
    semiSync: '使用半同步复制（AFTER_SYNC）。',
    back: '恢复其副本。',
    majority: '恢复集群的多数节点。',
    third: '增加第三台服务器或仲裁节点（garbd）。',
    oneWriter: '让所有实例写入同一台服务器。多处写入不违反任何承诺，但冲突会耗费时间。',
    oneServer: '将所有连接路由到同一台服务器。',
    session: '直接连接服务器，或让代理保持会话设置不变。',
    convert: '将这些表转换为 {want}。',
    untried: '本服务从未在其上测试过：参见 docs/engines.md。',
    look: '参见 admin doctor。',
    memoryOf: 'Redis{node} 使用 {used} / {limit} MB',
    memoryOpen: 'Redis{node} 使用 {used} MB，无上限',
    evicted: '已逐出 {n} 个键',
    clock: '{engine}：时钟 {skew} 秒（± {error} 毫秒）',
  },
);

type Advice =
  | ('ask' | 'see' | 'writes' | 'room' | 'grow' | 'synchronise' | 'bound' | 'semiSync' | 'set' | 'look')
  | ('back' | 'majority' | 'third' | 'oneWriter' | 'oneServer' | 'session' | 'convert' | 'untried');

/** The advice by the name of a finding, for all its values. */
const byName: Readonly<Record<string, Advice>> = {
  read_only: 'writes',
  aof_last_write_status: 'room',
  storage_engine: 'convert',
  isolation: 'session',
  wsrep_sync_wait: 'session',
  wsrep_cluster_status: 'majority',
  wsrep_cluster_size: 'third',
  writers: 'oneWriter',
  group_replication_group_name: 'oneWriter',
  servers: 'oneServer',
  version: 'untried',
};

/** Returns the advice for a finding, by its level, its name, or its recommended value. */
export function adviceOf({ engine, name, level, want }: Finding): Advice {
  if (level === 'unknown') return 'ask';
  if (name === engine) return 'see';
  const known = byName[name];
  if (known !== undefined) return known;
  if (name === 'replicas' && level === 'broken') return 'back';
  if (want !== undefined) return 'set';
  if (name === 'memory') return 'grow';
  if (name === 'clock') return 'synchronise';
  if (name === 'replicas') return engine === 'redis' ? 'bound' : 'semiSync';
  return 'look';
}
