"""Accounts: an administrator makes them with sacctmgr and SQL, and users meet their limits."""

import subprocess

from patience import DEADLINE_S
import pytest

CLUSTER = {"nodes": 1, "cpus": 4, "settings": {"kill_wait": "1s"}}


@pytest.fixture
def sacctmgr(cluster, tmp_path):
    """sacctmgr(WORD...): runs cox by the name sacctmgr, which PATH has after an installation."""
    link = tmp_path / "sacctmgr"
    link.symlink_to(cluster.bin / "cox")

    def run(*words, check=True, stdin=subprocess.DEVNULL, text=None):
        done = subprocess.run([link, *words], env=cluster.environment, text=True, input=text,
                              stdin=None if text is not None else stdin, capture_output=True,
                              timeout=DEADLINE_S)
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done

    return run


def reason(cluster, job):
    return cluster.job(job)["view"]["reason"]


def test_sacctmgr_load_applies_an_edited_dump_whole_or_not_at_all(make_cluster, tmp_path):
    cluster = make_cluster(nodes=1)
    (tmp_path / "sacctmgr").symlink_to(cluster.bin / "cox")

    def run(*words, check=True):
        done = subprocess.run([tmp_path / "sacctmgr", *words], env=cluster.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S)
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done

    file = tmp_path / "accounts.cfg"
    run("-i", "add", "account", "physics", "Description=all of it", "GrpTRES=gres/gpu:h100=8")
    run("-i", "add", "user", "ada", "account=physics", "MaxJobs=5")
    run("-i", "add", "coordinator", "account=physics", "names=ada")
    run("dump", f"file={file}")
    text = file.read_text()
    ada = "User - 'ada':DefaultAccount='physics':Coordinator='physics':Fairshare=1:MaxJobs=5\n"
    assert ada in text
    file.write_text(text.replace("MaxJobs=5", "MaxJobs=7") + "User - 'eve':Fairshare=2\n")
    asked = run("load", file, check=False)
    assert asked.returncode == 1 and "no answer, so nothing was changed" in asked.stderr
    run("-i", "load", file)
    shown = run("-nP", "show", "assoc", "format=account,user,share,maxjobs").stdout
    assert shown == "root||1|\nphysics||1|\nphysics|ada|1|7\nphysics|eve|2|\n"
    file.write_text(file.read_text() + "User - 'joe':Fairshare=2:GrpTRES=nonsense\n")
    assert run("-i", "load", file, check=False).returncode == 1
    assert "joe" not in run("-nP", "show", "users").stdout, "the file was loaded in part"
    assert f"Unable to read {tmp_path}" in run("-i", "load", f"file={tmp_path}", check=False).stderr
    endless = run("-i", "load", "file=/dev/zero", check=False)
    assert "/dev/zero is larger than 67108864 bytes" in endless.stderr
    run("-i", "load", file, "clean", check=False)
    assert run("-nP", "show", "account", "withcoord", "format=account,coordinators").stdout == (
        "root|\nphysics|ada\n")


def test_accounts_made_with_sacctmgr_and_sql_limit_the_jobs_in_them(cluster, sacctmgr, tmp_path):
    tmp_path.chmod(0o755)
    first = cluster.submit("-D", tmp_path, "--", "sleep", "1000")
    user = cluster.job(first)["view"]["job"]["spec"]["user_name"]
    assert "There are no accounts" in cluster.cox("show", "accounts").stdout
    sacctmgr("-i", "add", "account", "physics", "Description=all of it", "fairshare=10")
    sacctmgr("-i", "add", "account", "lattice", "parent=physics")
    for words, out in ((("add", "account", "lattice"), " Nothing new added.\n"),
                       (("delete", "user", "nobody"), " Nothing deleted\n"),
                       (("modify", "account", "physics", "where", "cluster=sea", "set",
                         "fairshare=1"),
                        " Nothing modified\n")):
        done = sacctmgr("-i", *words, check=False)
        assert (done.returncode, done.stdout) == (1, out) and done.stderr, done
    refused = sacctmgr("-i", "add", "user", user, "account=latice", check=False)
    assert refused.returncode == 1 and "did you mean lattice?" in refused.stderr, refused.stderr
    sacctmgr("-i", "add", "user", user, "account=lattice")
    sacctmgr("-i", "modify", "account", "physics", "set", "GrpTRES=cpu=2")
    assert sacctmgr("-nP", "show", "assoc", "format=account,user,share,grptres").stdout == (
        f"root||1|\nphysics||10|cpu=2\nlattice||1|\nlattice|{user}|1|\n")
    assert sacctmgr("-nP", "show", "assoc", "tree", "format=account,user").stdout == (
        f"root|\n physics|\n  lattice|\n   lattice|{user}\n")
    assert sacctmgr("-nP", "show", "users", "withassoc", "format=account,user", "where",
                    f"user={user}").stdout == f"lattice|{user}\n"
    assert sacctmgr("-n", "-s", "list", "user", "nobody", "format=account%256").stdout == ""

    sacctmgr("-i", "modify", "user", user, "set", "qos+=critical")
    sacctmgr("-i", "modify", "user", user, "set", "qos-=besteffort")

    second = cluster.submit("-D", tmp_path, "-n2", "--", "sleep", "1000")
    assert cluster.job(second)["view"]["job"]["spec"]["qos"] == "standard", "the QOS has changed"
    refused = cluster.cox("submit", "-q", "besteffort", "--", "true", check=False)
    assert "it may use: critical, standard" in refused.stderr, refused.stderr
    third = cluster.submit("-D", tmp_path, "-n1", "-A", "lattice", "--", "sleep", "1000")
    cluster.wait_state(second, "RUNNING")
    cluster.wait_for(lambda: reason(cluster, third) == "AssocGrpCpuLimit",
                     "the limit to be the reason")
    assert (f"account physics: GrpTRES cpu is 2: 2 in use by job {second} of {user}, and it asks "
            "for 1") in cluster.cox("why", third).stdout
    wrong = cluster.cox("submit", "-A", "biology", "--", "true", check=False)
    assert wrong.returncode == 1 and "Invalid account" in wrong.stderr
    shown = cluster.cox("show", "accounts").stdout
    assert "GrpTRES=cpu=2" in shown and f"{user} *" in shown, shown
    assert cluster.sql("SELECT account, submitted, running, cpus FROM cox.associations "
                       "WHERE user_name IS NULL ORDER BY path") == [
                           ["root", "2", "1", "2"], ["physics", "2", "1", "2"],
                           ["lattice", "2", "1", "2"]]

    cluster.sql("CALL cox.sacctmgr('modify account physics set grptres=cpu=-1')")
    cluster.wait_state(third, "RUNNING")
    with pytest.raises(AssertionError, match='there is no account "nowhere"'):
        cluster.sql("CALL cox.sacctmgr('modify account nowhere set maxjobs=1')")
    with pytest.raises(AssertionError, match=r"cox\.associations \(accounts and users\)"):
        cluster.sql("CALL cox.sacctmgr('show assoc')")
    asked = cluster.sql("SELECT command, refused FROM cox.request ORDER BY id")
    assert asked[0] == ['add account physics "Description=all of it" fairshare=10', "f"]
    assert asked[-2:] == [["modify account nowhere set maxjobs=1", "t"], ["show assoc", "t"]]
    cluster.sql("CALL cox.sacctmgr('add account sky\nadd user eve account=sky maxjobs=3')")
    with pytest.raises(AssertionError, match="line 2 .*there is no account"):
        cluster.sql("CALL cox.sacctmgr('delete user eve\nadd user eve account=skyy')")
    assert cluster.sql("SELECT max_jobs FROM cox.associations WHERE user_name = 'eve'") == [["3"]]

    cluster.cox("cancel", first, second, third)
    cluster.wait_state(second, "CANCELLED")
    used = "SELECT usage_tres::text FROM cox.association WHERE usage_at IS NOT NULL"
    assert "billing" in cluster.wait_for(lambda: cluster.sql(used), "recorded usage")[0][0]


def test_sacctmgr_asks_before_it_changes_an_account_unless_i_is_given(sacctmgr):
    asked = sacctmgr("add", "account", "chemistry", text="n\n").stdout
    assert "Would you like to commit changes?" in asked and "Changes Discarded" in asked, asked
    assert sacctmgr("-nP", "show", "account", "chemistry", "format=account").stdout == ""
    nobody = sacctmgr("add", "account", "chemistry", text="", check=False)
    assert nobody.returncode == 1 and "Changes Discarded" in nobody.stdout, nobody
    assert "-i changes without a prompt" in nobody.stderr, nobody.stderr
    assert sacctmgr("-nP", "show", "account", "chemistry", "format=account").stdout == ""
    sacctmgr("add", "account", "chemistry", text="y\n")
    assert sacctmgr("-nP", "show", "account", "chemistry", "format=account").stdout == "chemistry\n"
    sacctmgr("-i", "delete", "account", "chemistry")
    assert sacctmgr("-nP", "show", "account", "chemistry", "format=account").stdout == ""
