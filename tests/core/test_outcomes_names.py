"""What things are called says nothing of how a call went: branches, queues, files, pages."""

import pytest

from hindsight_core.capture import judge_outcome


def is_ok(tool, result):
    return judge_outcome(tool, {}, raised=False, result=result).ok


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("git_commit", "[retry-on-timeout 4be10c2] 3 files changed, 9 insertions(+)"),
        ("git_commit", "[error-pages (root-commit) 4be10c2] first\n 1 file changed"),
        ("git_push", "To origin\n * [new branch] hotfix/access-denied -> hotfix/access-denied"),
        ("make_queue", "queue rejected-orders created"),
        ("publish_topic", "published to topic payments.failed offset 12"),
        ("create_ticket", "opened HX-7 in project crash-reports"),
        ("build_image", "Successfully built 4be10c2; tagged timeout-proxy:1"),
        ("write_file", "wrote 12 lines to lib/errors/not_found.rs"),
        ("move_file", "moved 3 files to /archive/failed/"),
        ("rename_file", "error_old.log -> error_2031.log"),
        ("create_page", 'page "Login failed: what now" created'),
        ("make_queue", '{"ok": true, "message": "queue failed-jobs created"}'),
        ("提交代码", "[修复超时 4be10c2] 1 个文件已更改"),
        ("上传文件", "已上传 失败订单.xlsx"),
        ("导出报表", "已导出：超时订单明细.xlsx，共 120 行"),
        ("建页面", "已创建页面《登录失败怎么办》"),
        ("建分支", "已切换到分支 修复-连接超时"),
    ],
)
def test_a_name_in_a_report_of_success_is_no_failure(tool, result):
    assert is_ok(tool, result)


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("git_commit", "error: pathspec 'fix-timeout' did not match any file(s)"),
        ("git_push", "! [rejected] main -> main (non-fast-forward)"),
        ("git_push", "[remote rejected] main -> main (protected branch hook declined)"),
        ("send", "[timeout 3000ms] no answer from the gateway"),
        ("send", "[ERROR 5120] message not sent"),
        ("make_queue", "queue rejected-orders could not be created"),
        ("deploy", "deploy of error-pages failed"),
        ("deploy", "service-unavailable"),
        ("deploy", "status: build-failed"),
        ("deploy", "connect-timeout after 30s"),
        ("upload_file", "upload to /var/data: permission-denied"),
        ("write_file", "/etc/motd: read-only file system"),
        ("run_task", "job retry-payments failed"),
        ("pay", "order created, but card-declined"),
        ("create_page", 'Error: page "Home" was not created'),
        ("上传文件", "上传 报表.xlsx 失败"),
        ("上传文件", "上传失败：报表.xlsx"),
        ("提交代码", "[失败 E1201] 分支受保护"),
        ("建页面", "页面《首页》创建失败"),
        ("建分支", "分支 修复-登录 已存在，未能创建"),
    ],
)
def test_a_failure_beside_a_name_is_one(tool, result):
    assert not is_ok(tool, result)
